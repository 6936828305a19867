"""Files: written whole or not at all, and what is read of a result."""
from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

from .errors import InputError


def write_whole(path: Path | str, content: bytes) -> None:
    """Replaces a file, or what a link leads to; pipes and devices are written to. Raises InputError."""
    try:
        if is_standard_output(path):
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            return
        target = Path(path).resolve(strict=False)
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with open(target, "wb") as file:
                file.write(content)
            return
        part = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            part.write_bytes(content)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:  # Python 3.11 tells a loop of links by a RuntimeError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "Too many levels of symbolic links"
        raise InputError(f"{path}: cannot be written: {reason}") from None


def make_folder(path: Path) -> None:
    """And those above it. Raises InputError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from None


def is_standard_output(path: Path | str) -> bool:
    """Then what is said of the file goes to the standard error."""
    return str(path) in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def object_in(file: Path) -> dict[str, Any]:
    """The JSON object of a result's file. Raises InputError."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        raise InputError(f"{file}: {reason}; expected a result of ddlsim") from None
    if not isinstance(value, dict):
        raise InputError(f"{file}: is not a JSON object; expected a result of ddlsim")
    return value
