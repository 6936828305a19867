"""ddlsim from Python: running scenarios and reading results."""
from .program import DdlsimError, InputError, RunFailed
from .runs import Result, Sweep, bounds, load, run, sweep

__all__ = ["DdlsimError", "InputError", "Result", "RunFailed", "Sweep", "bounds", "load", "run", "sweep"]
