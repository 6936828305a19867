"""The program `ddlsim`, as a child process."""
from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeVar

from .errors import DdlsimError, InputError, RunFailed

Item = TypeVar("Item")
Found = TypeVar("Found")
_running: set["subprocess.Popen[str]"] = set()  # children of call(), for which threads may be waiting
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
    child = started([program(), *words], given is not None)
    _running.add(child)
    assert child.stdout is not None and child.stderr is not None
    said: list[str] = []
    listener = threading.Thread(target=listen, args=(child.stderr, said, progress), daemon=True)
    listener.start()
    try:
        if given is not None and child.stdin is not None:
            _hand_over(given, child.stdin)
        text = child.stdout.read()
        code = child.wait()
    except BaseException:  # Ctrl-C here, or the caller's own time-out, ends the program, too
        child.terminate()  # which is never ignored, as SIGINT is in the background
        child.wait()
        raise
    finally:
        _running.discard(child)
        listener.join()
        child.stdout.close()
        child.stderr.close()
    if code == 130:
        raise KeyboardInterrupt
    if code != 0:
        raise failure(said, code)
    return text


def in_threads(function: Callable[[Item], Found], items: Iterable[Item], at_once: int) -> Generator[Found, None, None]:
    """function(item) of each, in order. Whatever ends this, Ctrl-C too, also ends the programs that the threads have called."""
    with ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            while wait(futures, 0.1).not_done:
                for child in list(_running):
                    child.terminate()  # unlike Ctrl-C never ignored


def started(command: Sequence[str], reads: bool) -> "subprocess.Popen[str]":
    """A child with pipes behind its outputs, and before its input if it `reads`. Raises DdlsimError."""
    try:
        # In a session of its own, so that a terminal's Ctrl-C does not reach it a second time.
        return subprocess.Popen(command, stdin=subprocess.PIPE if reads else None, stdout=subprocess.PIPE,
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


def listen(stream: Iterable[str], said: list[str], progress: bool = False) -> None:
    for line in stream:
        said.append(line.rstrip("\n"))
        if progress and not line.startswith("ddlsim: "):
            print(line, end="", file=sys.stderr, flush=True)


def failure(said: list[str], code: int) -> DdlsimError:
    """The error of a program that ended and said this. The caller has written neither a dict's file nor an override's option."""
    lines = [line[len("ddlsim: "):] for line in said if line.startswith("ddlsim: ")]
    lines = [line.removeprefix("-: ").removeprefix("--set ") for line in lines]
    if code < 0:
        lines.append(f"ddlsim was ended by signal {-code} ({signal.strsignal(-code)})")
    return _ERRORS.get(code, DdlsimError)(lines or said or f"ddlsim ended with exit code {code} and said nothing", code)
