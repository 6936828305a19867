"""ddlsim from Python: running scenarios, reading results, and models of one's own."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import DdlsimError, InputError, PackageMissing, RunFailed
from .runs import Result, Sweep, bounds, load, run, sweep

if TYPE_CHECKING:
    from .comparison import compare
    from .figures.plot import plot
    from .frame import results
    from .model import Model, digest_of, serve
    from .reports import report
    from .studies import reproduce
    from .torch_model import TorchModel
    from .tuning.advise import advise
    from .tuning.tune import tune

__version__ = "0.1.0"

__all__ = ["DdlsimError", "InputError", "Model", "PackageMissing", "Result", "RunFailed", "Sweep", "TorchModel", "advise", "bounds",
           "compare", "digest_of", "load", "plot", "report", "reproduce", "results", "run", "serve", "sweep", "tune"]

# Loaded only where they are asked for: runs need no package, and PyTorch takes seconds to load.
_LATER = {"Model": "model", "TorchModel": "torch_model", "advise": "tuning.advise", "compare": "comparison", "digest_of": "model", "plot": "figures.plot",
          "report": "reports", "reproduce": "studies", "results": "frame", "serve": "model", "tune": "tuning.tune"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'ddlsim' has no attribute '{name}'")
    from importlib import import_module
    try:
        return getattr(import_module("." + _LATER[name], __name__), name)
    except ModuleNotFoundError as error:
        raise PackageMissing(f"{name} needs the package {error.name}; expected it to be installed for this Python") from error
