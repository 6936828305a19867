"""The program `ddlsim`, as a child process."""
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path


class DdlsimError(Exception):
    """The program ended with `code`; `lines` is what it said, without "ddlsim: "."""

    def __init__(self, code, lines):
        super().__init__("\n".join(lines) or f"ddlsim ended with exit code {code} and said nothing")
        self.code = code
        self.lines = lines


class InputError(DdlsimError):
    """A scenario, its data or its platform is wrong (exit code 2)."""


class RunFailed(DdlsimError):
    """A run could not finish: a deadlock, or no worker is left (exit code 3)."""


_ERRORS = {2: InputError, 3: RunFailed}


def program():
    """The path of the program: DDLSIM, or else the launcher of the checkout that this file is in, or else PATH's."""
    named = os.environ.get("DDLSIM")
    if named:
        return named
    launcher = Path(__file__).resolve().parents[2] / "ddlsim"
    if launcher.is_file() and os.access(launcher, os.X_OK):
        return str(launcher)
    found = shutil.which("ddlsim")
    if not found:
        raise FileNotFoundError("no program ddlsim; expected it in PATH, or its path in the variable DDLSIM")
    return found


def call(words, progress=False):
    """What `ddlsim WORDS` writes to its standard output.

    Ctrl-C interrupts the program too, which leaves no half-written result. With `progress`, what it tells while it works
    goes to sys.stderr. Raises DdlsimError.
    """
    # In a session of its own, so that a terminal's Ctrl-C does not reach it a second time.
    child = subprocess.Popen([program(), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             encoding="utf-8", start_new_session=True)
    said = []
    listener = threading.Thread(target=_listen, args=(child.stderr, said, progress), daemon=True)
    listener.start()
    try:
        text = child.stdout.read()
        code = child.wait()
    except KeyboardInterrupt:
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
        own = [line[len("ddlsim: "):] for line in said if line.startswith("ddlsim: ")]
        raise _ERRORS.get(code, DdlsimError)(code, own or said)
    return text


def _listen(stream, said, progress):
    for line in stream:
        said.append(line.rstrip("\n"))
        if progress and not line.startswith("ddlsim: "):
            print(line, end="", file=sys.stderr, flush=True)
