"""Python's values as JSON: what a scenario holds, and what an override sets."""
from __future__ import annotations

import json
import math
import numbers
import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from .errors import InputError

DEEPEST = 64  # of lists and dicts in one another, as in the program
LARGEST = 2**64  # JSON's whole numbers, as the program reads them, are smaller


def json_of(value: Any, path: str = "$") -> str:
    """The JSON text of a value: text stays text, a path is text, and what has tolist() (NumPy's numbers and arrays, pandas'
    columns) is the number or list that it gives. Raises InputError, which names the path of what is no such value."""
    return json.dumps(_plain(value, path, 0))


def _plain(value: Any, path: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise InputError(f"{path[:80]}...: is nested deeper than {DEEPEST} levels; expected a value of a scenario")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, path)
    is_time = getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M")  # NumPy's count as whole numbers
    if isinstance(value, (numbers.Real, Decimal)) and not is_time:
        return _number(value, path)
    if isinstance(value, os.PathLike):
        return _text(os.fsdecode(value), path)
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(below, _below(path, key), depth + 1) for key, below in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [_plain(below, f"{path}[{i}]", depth + 1) for i, below in enumerate(value)]
    if hasattr(value, "tolist") and not is_time:
        return _plain(value.tolist(), path, depth + 1)
    raise InputError(f"{path}: a value of type {type(value).__name__} is none of a scenario; expected text, a number, True, "
                     "False, None, a list or a dict")


def _text(value: str, path: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: {value!a} has half of a letter; expected text that UTF-8 can write") from error
    return value


def _number(value: Any, path: str) -> int | float:
    if isinstance(value, numbers.Integral) and abs(int(value)) < LARGEST:
        return int(value)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{path}: {number} is not finite; expected a number")
    return number


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"{path}: the key {key!r} is no text; expected keys of a scenario")
    return _text(key, path)


def _below(path: str, key: Any) -> str:
    """As the program writes paths."""
    return f"{path}.{key}" if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(key)) else f'{path}["{key}"]'
