"""What goes wrong."""
from __future__ import annotations

import difflib
from collections.abc import Iterable


class DdlsimError(Exception):
    """Whatever goes wrong here, or in the program: `lines` is what is wrong, `code` the program's exit code if it ended."""

    exit_code = 1  # of a command that ends with this error

    def __init__(self, lines: str | Iterable[str], code: int | None = None) -> None:
        super().__init__(lines, code)
        self.lines: list[str] = [lines] if isinstance(lines, str) else list(lines)
        self.code = code

    def __str__(self) -> str:
        return "\n".join(self.lines)


class InputError(DdlsimError, ValueError):
    """A value, a scenario, its data or its platform is wrong (exit code 2), or a folder is no result."""

    exit_code = 2


class RunFailed(DdlsimError):
    """A run could not finish: a deadlock, or no worker is left (exit code 3)."""

    exit_code = 3


class PackageMissing(DdlsimError, ImportError):
    """What was asked for needs a package that is not there."""

    exit_code = 2


for _error in (DdlsimError, InputError, RunFailed, PackageMissing):
    _error.__module__ = "ddlsim"  # as users know them, in tracebacks


def nearest(word: str, known: Iterable[str]) -> str:
    """The word that was meant, or else all known ones: the end of an error's line."""
    known = list(known)
    near = difflib.get_close_matches(word, known, 1, 0.6)
    return f'did you mean "{near[0]}"?' if near else "expected one of " + ", ".join(known)
