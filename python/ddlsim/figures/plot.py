"""`plot`: from folders to a picture."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from ..errors import InputError, nearest
from ..frame import read_all
from ..labels import group, relabel
from ..runs import AnyPath
from . import data
from .draw import Drawing, draw, draw_links, draw_map, format_of

_NO_TEXTS = ("target", "runs", "logx", "logy", "grey", "label")
_SCALES = ("logx", "logy", "xlim", "ylim", "ylabel")


@dataclass(frozen=True)
class Kind:
    """A kind of picture: the options that mean something for it, beside size, title and xlabel; its data, from grouped runs."""
    options: tuple[str, ...]
    data: Callable[..., Any]


KINDS = {
    "curves": Kind(("x", "y", "facet", *_SCALES, "band", "label", "grey", "runs"), data.curves),
    "map": Kind(("y", "target", "ylabel", "label", "grey", "runs"), data.winners),
    "target": Kind(("y", "target", "facet", "logx", "xlim", "label", "grey", "runs"), data.targets),
    "speedup": Kind(("y", "target", "facet", *_SCALES, "label", "grey"), data.speed_up),
    "steps": Kind(("facet", "logx", "xlim", "ylim", "ylabel", "label", "grey", "runs"), data.steps),
    "staleness": Kind(("facet", "logx", "xlim", "ylim", "ylabel", "label", "grey", "runs"), data.staleness),
    "links": Kind(("xlim",), data.links),
}


def plot(folders: Iterable[AnyPath] | AnyPath, file: Path | str | None = None, *, kind: str = "curves", x: str = "",
         y: str = "", target: float | None = None, facet: str = "", runs: bool = False, band: str = "", size: str = "screen",
         logx: bool = False, logy: bool = False, xlim: str = "", ylim: str = "", title: str = "", xlabel: str = "",
         ylabel: str = "", label: Mapping[str, str] | None = None, grey: bool = False, command: str = "") -> Drawing:
    """Draws the results of these folders; with `file`, writes the picture there and its data beside it (F.data.csv).

    kind: one of KINDS. size: "screen", "one", "two" (columns of a paper), or millimetres such as "120x80". Other options as of
    `ddlsim plot --help`. Raises InputError, also for an option that the kind has no use for.
    """
    given: dict[str, Any] = {name: value for name, value in locals().items()
                             if name not in ("folders", "file", "command") and value not in ("", None, False, {})}
    for name, value in given.items():
        if name not in _NO_TEXTS and not isinstance(value, str):
            raise InputError(f"--{name}: {value!r} is no text")
    if target is not None and not isinstance(target, Real):
        raise InputError(f"--target: {target!r} is no number")
    if kind not in KINDS:
        raise InputError(f'--kind: "{kind}" is no kind of picture; expected one of {", ".join(KINDS)}')
    for name in given:
        if (of := [one for one in KINDS if name in KINDS[one].options]) and kind not in of:
            raise InputError(f"--{name}: is for --kind " + ", ".join(of))
    if file is not None:
        format_of(Path(file))
    found = read_all(folders)
    look = {"size": size, "title": title, "xlabel": xlabel}
    if kind == "links":
        if len(found) != 1:
            raise InputError(f"--kind links: draws one run, not {len(found)}; expected the folder of one seed")
        drawing = draw_links(data.links(found[0]), xlim=xlim, **look)
    else:
        grouped = group(found, over_seeds=not runs)
        of_data = {name: given[name] for name in ("x", "y", "target", "band", "facet", "grey") if name in given}
        if kind == "map":
            renamed, schemes = dict(label or {}), dict.fromkeys(one.scheme for one in grouped.groups)
            for old in renamed:
                if old not in schemes:
                    raise InputError(f'--label: "{old}" is no scheme here; {nearest(old, schemes)}')
            drawing = draw_map(data.winners(grouped, **of_data), ylabel=ylabel, label=renamed, grey=grey, **look)
        else:
            relabel(grouped, label or {})
            drawing = draw(KINDS[kind].data(grouped, **of_data), ylabel=ylabel, xlim=xlim, ylim=ylim, logx=logx, logy=logy, **look)
    if file is not None:
        drawing.save(file, command)
    return drawing
