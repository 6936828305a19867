"""The program `ddlsim`, as a child process."""
from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from .errors import DdlsimError, InputError, RunFailed

_ERRORS: dict[int, type[DdlsimError]] = {2: InputError, 3: RunFailed}


def program() -> str:
    """The path of the program: DDLSIM, or else the launcher of the checkout that this file is in, or else PATH's."""
    named = os.environ.get("DDLSIM")
    if named:
        return named
    launcher = Path(__file__).resolve().parents[2] / "ddlsim"
    if launcher.is_file() and os.access(launcher, os.X_OK):
        return str(launcher)
    found = shutil.which("ddlsim")
    if not found:
        raise DdlsimError("no program ddlsim; expected it in PATH, or its path in the variable DDLSIM")
    return found


def call(words: Sequence[str], progress: bool = False, given: str | None = None) -> str:
    """What `ddlsim WORDS` writes to its standard output, where its standard input is the text `given`.

    Ctrl-C interrupts the program too, which leaves no half-written result. With `progress`, what it tells while it works
    goes to sys.stderr. Raises DdlsimError.
    """
    child = _started([program(), *words], given)
    assert child.stdout is not None and child.stderr is not None
    said: list[str] = []
    listener = threading.Thread(target=_listen, args=(child.stderr, said, progress), daemon=True)
    listener.start()
    try:
        if given is not None and child.stdin is not None:
            _hand_over(given, child.stdin)
        text = child.stdout.read()
        code = child.wait()
    except BaseException:  # Ctrl-C here, or the caller's own time-out, ends the program, too
        child.send_signal(signal.SIGINT)
        child.wait()
        raise
    finally:
        listener.join()
        child.stdout.close()
        child.stderr.close()
    if code == 130:
        raise KeyboardInterrupt
    if code != 0:
        raise _ERRORS.get(code, DdlsimError)(_lines_of(said, code), code)
    return text


def _started(command: Sequence[str], given: str | None) -> "subprocess.Popen[str]":
    try:
        # In a session of its own, so that a terminal's Ctrl-C does not reach it a second time.
        return subprocess.Popen(command, stdin=None if given is None else subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8", errors="backslashreplace", start_new_session=True)
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise InputError("the overrides are too long for a command line; expected long values in the scenario") from error
        raise DdlsimError(f"{command[0]}: cannot be started ({error.strerror}); expected the program ddlsim, whose path the "
                          "variable DDLSIM may say") from error
    except ValueError as error:  # a zero byte, or half of a letter
        raise InputError(f"what is given cannot be handed to a program: {error}") from error


def _hand_over(text: str, stream: IO[str]) -> None:
    with suppress(BrokenPipeError), stream:  # the program has ended without reading, and says why
        stream.write(text)


def _listen(stream: Iterable[str], said: list[str], progress: bool) -> None:
    for line in stream:
        said.append(line.rstrip("\n"))
        if progress and not line.startswith("ddlsim: "):
            print(line, end="", file=sys.stderr, flush=True)


def _lines_of(said: list[str], code: int) -> list[str]:
    """What the program says is wrong. Neither a dict's file nor an override's option is what the caller has written."""
    lines = [line[len("ddlsim: "):] for line in said if line.startswith("ddlsim: ")]
    lines = [line.removeprefix("-: ").removeprefix("--set ") for line in lines]
    if code < 0:
        lines.append(f"ddlsim was ended by signal {-code} ({signal.strsignal(-code)})")
    return lines or said or [f"ddlsim ended with exit code {code} and said nothing"]
