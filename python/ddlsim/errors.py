"""What goes wrong."""


class DdlsimError(Exception):
    """Whatever goes wrong here, or in the program: `lines` is what is wrong, `code` the program's exit code if it ended."""

    def __init__(self, lines, code=None):
        super().__init__(lines, code)
        self.lines = [lines] if isinstance(lines, str) else list(lines)
        self.code = code

    def __str__(self):
        return "\n".join(self.lines)


class InputError(DdlsimError, ValueError):
    """A value, a scenario, its data or its platform is wrong (exit code 2), or a folder is no result."""


class RunFailed(DdlsimError):
    """A run could not finish: a deadlock, or no worker is left (exit code 3)."""


class PackageMissing(DdlsimError, ImportError):
    """What was asked for needs a package that is not there."""


for _error in (DdlsimError, InputError, RunFailed, PackageMissing):
    _error.__module__ = "ddlsim"  # as users know them, in tracebacks
