"""Numbers as people read them: "12.3 s", "17 MB", "87 %", "0.9310", "3.14"."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

Kind = Literal["text", "seconds", "bytes", "share", "score", "number"]

_TIMES = ((1e-6, "us"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"))
_BYTES = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB"))


def seconds(value: float) -> str:
    """Seconds, with the unit that suits them; up to two minutes in seconds or less."""
    if value == 0:
        return "0 s"
    return _with_unit(value, _TIMES[:3] if abs(value) < 120 else _TIMES)


def bytes_(value: float) -> str:
    return _with_unit(value, _BYTES)


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
