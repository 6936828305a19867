"""Files that are written whole or not at all."""
from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

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


def is_standard_output(path: Path | str) -> bool:
    """Then what is said of the file goes to the standard error."""
    return str(path) in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
