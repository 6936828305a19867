"""`plot`: from folders to a picture."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path

from ..errors import InputError, nearest
from ..frame import read_all
from ..labels import group, relabel
from . import data
from .draw import Drawing, draw, draw_links, draw_map, format_of

# The options that mean something for a kind, beside size, title and xlabel, which all have.
KINDS: dict[str, tuple[str, ...]] = {
    "curves": ("x", "y", "facet", "logx", "logy", "xlim", "ylim", "ylabel", "band", "label", "grey", "runs"),
    "map": ("y", "target", "ylabel", "label", "grey", "runs"),
    "target": ("y", "target", "facet", "logx", "xlim", "label", "grey", "runs"),
    "speedup": ("y", "target", "facet", "logx", "logy", "xlim", "ylim", "ylabel", "label", "grey"),
    "steps": ("facet", "logx", "xlim", "ylim", "ylabel", "label", "grey", "runs"),
    "staleness": ("facet", "logx", "xlim", "ylim", "ylabel", "label", "grey", "runs"),
    "links": ("xlim",),
}


def plot(folders: Iterable[Path | str] | Path | str, file: Path | str | None = None, *, kind: str = "curves", x: str = "",
         y: str = "", target: float | None = None, facet: str = "", runs: bool = False, band: str = "", size: str = "screen",
         logx: bool = False, logy: bool = False, xlim: str = "", ylim: str = "", title: str = "", xlabel: str = "",
         ylabel: str = "", label: Mapping[str, str] | None = None, grey: bool = False, command: str = "") -> Drawing:
    """Draws the results of these folders; with `file`, writes the picture there and its data beside it (F.data.csv).

    kind: curves, map, target, speedup, steps, staleness, links. size: "screen", "one", "two" (columns of a paper), or
    millimetres such as "120x80". Other options as of `ddlsim plot --help`. Raises InputError, also for an option that the kind
    has no use for.
    """
    given = {name: value for name, value in locals().items() if value not in ("", None, False, {})}
    texts = ("kind", "x", "y", "facet", "band", "size", "xlim", "ylim", "title", "xlabel", "ylabel")
    for name in texts:
        if not isinstance(given.get(name, ""), str):
            raise InputError(f"--{name}: {given[name]!r} is no text")
    if target is not None and not isinstance(target, Real):
        raise InputError(f"--target: {target!r} is no number")
    if kind not in KINDS:
        raise InputError(f'--kind: "{kind}" is no kind of picture; expected one of {", ".join(KINDS)}')
    for name in given:
        if (of := [one for one in KINDS if name in KINDS[one]]) and kind not in of:
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
        if kind == "map":
            renamed, schemes = dict(label or {}), dict.fromkeys(one.scheme for one in grouped.groups)
            for old in renamed:
                if old not in schemes:
                    raise InputError(f'--label: "{old}" is no scheme here; {nearest(old, schemes)}')
            drawing = draw_map(data.winners(grouped, y=y, target=target, grey=grey), ylabel=ylabel, label=renamed, grey=grey, **look)
        else:
            relabel(grouped, label or {})
            picture = (data.targets(grouped, y=y, target=target, facet=facet, grey=grey) if kind == "target" else
                       data.speed_up(grouped, y=y, target=target, facet=facet, grey=grey) if kind == "speedup" else
                       data.steps(grouped, facet=facet, grey=grey) if kind == "steps" else
                       data.staleness(grouped, facet=facet, grey=grey) if kind == "staleness" else
                       data.curves(grouped, x=x or "time", y=y, band=band, facet=facet, grey=grey))
            drawing = draw(picture, ylabel=ylabel, xlim=xlim, ylim=ylim, logx=logx, logy=logy, **look)
    if file is not None:
        drawing.save(file, command)
    return drawing
