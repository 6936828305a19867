"""ddlsim from Python: running scenarios, reading results, and models of one's own."""
from .errors import DdlsimError, InputError, PackageMissing, RunFailed
from .runs import Result, Sweep, bounds, load, run, sweep

__all__ = ["DdlsimError", "InputError", "Model", "PackageMissing", "Result", "RunFailed", "Sweep", "TorchModel", "bounds",
           "digest_of", "load", "run", "serve", "sweep"]

# What is loaded only where it is asked for: models need NumPy, and PyTorch takes seconds to load.
_LATER = {"Model": "model", "digest_of": "model", "serve": "model", "TorchModel": "torch_model"}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'ddlsim' has no attribute '{name}'")
    from importlib import import_module
    try:
        return getattr(import_module("." + _LATER[name], __name__), name)
    except ModuleNotFoundError as error:
        raise PackageMissing(f"{name} needs the package {error.name}; expected it to be installed for this Python") from error
