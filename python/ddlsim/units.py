"""Numbers as people read them: "12.3 s", "17 MB", "87 %", "0.9310", "3.14"."""
from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Literal

Kind = Literal["text", "seconds", "bytes", "share", "score", "number"]

_TIMES = ((1e-6, "us"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"))
_BYTES = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB"))
_RATES = ((1.0, "bit/s"), (1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s"), (1e12, "Tbit/s"))


def seconds(value: float) -> str:
    """Seconds, with the unit that suits them; up to two minutes in seconds or less."""
    if value == 0:
        return "0 s"
    return _with_unit(value, _TIMES[:3] if abs(value) < 120 else _TIMES)


def bytes_(value: float) -> str:
    return _with_unit(value, _BYTES)


def bits_per_s(value: float) -> str:
    return _with_unit(value, _RATES)


def share(value: float) -> str:
    """A share of 1, in per cent."""
    percent = 100 * value
    return f"{percent:.1f} %" if 0 < abs(percent) < 9.95 else f"{percent:.0f} %"


def shown(value: float, kind: Kind) -> str:
    if kind == "seconds":
        return seconds(value)
    if kind == "bytes":
        return bytes_(value)
    if kind == "share":
        return share(value)
    if kind == "score":
        return f"{value:.4f}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def plain(value: float | None) -> str:
    """For other programs: the shortest text that reads back as the same number; "" for none."""
    if value is None:
        return ""
    if math.isfinite(value) and value == int(value) and abs(value) < 2**53:
        return str(int(value))
    return repr(float(value))


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _with_unit(value: float, units: Sequence[tuple[float, str]]) -> str:
    """In the largest unit that leaves at least one of it after rounding to three digits; `units` ascend."""
    if not math.isfinite(value):
        return str(value)
    size, name = units[0]
    for unit in units:
        if abs(value) >= 0.9995 * unit[0]:
            size, name = unit
    scaled = value / size
    return f"{scaled:.0f} {name}" if abs(scaled) >= 100 else f"{scaled:.3g} {name}"


# Units of settings, in the base units of run.json: bit/s, s, bytes, flop/s.
_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}
_BASES = {"bps": ("bit_per_s", 1.0), "Bps": ("bit_per_s", 8.0), "B": ("bytes", 1.0), "f": ("flop_per_s", 1.0)}
_UNITS = {prefix + base: (name, factor * size) for prefix, factor in _PREFIXES.items() for base, (name, size) in _BASES.items()}
_UNITS |= {name: ("s", size) for name, size in {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}.items()}


def quantity(text: str) -> float | None:
    """In base units: 4e7 of "40Mbps"; a bare number is itself. None where it is none."""
    number = text.rstrip(string.ascii_letters)
    try:
        return float(number) * (_UNITS[text[len(number):]][1] if len(number) < len(text) else 1)
    except (ValueError, KeyError):
        return None


def base_unit(text: object) -> str:
    """The unit of the setting that a scenario spells so: "bit_per_s" of "40Mbps"; "" where it is no quantity."""
    letters = text.lstrip("0123456789.+-") if isinstance(text, str) else ""
    return _UNITS[letters][0] if letters in _UNITS and letters != text else ""
