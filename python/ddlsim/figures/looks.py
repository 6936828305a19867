"""How a system looks in every picture and page: one colour and mark each; variants of it differ in shade and dash."""
from __future__ import annotations

import colorsys
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..frame import natural

# Okabe and Ito's colours, which colour-blind readers tell apart, for what is often drawn together; otherwise Tol's muted ones.
PICKED = {
    "single": ("#000000", "+"), "alone": ("#7f7f7f", "x"), "ako": ("#0072b2", "o"), "ps_async": ("#d55e00", "s"),
    "ps_sync": ("#e69f00", "s-"), "ps_ssp": ("#b8860b", "D"), "gossip": ("#cc79a7", "^"), "d_psgd": ("#8c564b", "v"),
    "ad_psgd": ("#6a3d9a", "D"), "ring_allreduce": ("#009e73", "p"), "tree_allreduce": ("#117733", "^"),
    "star_allreduce": ("#66a61e", "v"), "hierarchical_allreduce": ("#225522", "p-"), "partial_allreduce": ("#44aa99", "o-"), "local_sgd": ("#999933", "D-"),
    "diloco": ("#b2182b", "^-"), "fedavg": ("#882255", "s-"), "sgp": ("#332288", "v-"), "choco": ("#aa4499", "D-"),
    "vertical": ("#661100", "*"), "early_exit": ("#bb5566", "o-"), "samme": ("#4d4d4d", "s-"),
}
_MARKS = ("s", "o", "^", "v", "D", "p", "*", "s-", "o-", "^-", "v-", "D-")
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 1.5, 1.5, 1.5), (8, 2, 2, 2, 2, 2))


@dataclass(frozen=True)
class Look:
    colour: str          # "#0072b2"
    mark: str = "o"      # matplotlib's marker; with "-" behind it: not filled
    dash: int = 0        # in DASHES


def look_of(system: str) -> Look:
    if system in PICKED:
        return Look(*PICKED[system])
    digest = hashlib.sha256(system.encode()).digest()
    red, green, blue = colorsys.hsv_to_rgb(digest[0] / 256, 0.5 + digest[1] / 512, 0.45 + digest[2] / 1024)
    return Look(_hex((red * 255, green * 255, blue * 255)), _MARKS[digest[3] % len(_MARKS)])


def looks_of(drawn: Sequence[tuple[str, str]], grey: bool = False) -> list[Look]:
    """A look for each (system, name). With `grey`, shades and dashes follow the order in which they are drawn."""
    looks = []
    for place, (system, name) in enumerate(drawn):
        names = sorted({other for one, other in drawn if one == system}, key=natural)
        rank = names.index(name)
        look = look_of(system)
        colour, dash = look.colour, rank % len(DASHES)
        if len(names) > 1:
            colour = shade(look.colour, rank, len(names))
        if grey:
            part = 150 * place / max(1, len(drawn) - 1)
            colour, dash = _hex((part, part, part)), place % len(DASHES)
        looks.append(Look(colour, look.mark, dash))
    return looks


def shade(colour: str, i: int, count: int) -> str:
    """Number i of `count` shades of a colour, from dark to one that a thin line still shows on white."""
    darkest, lightest, brightest = -0.45, 0.45, 180.0
    red, green, blue = bytes.fromhex(colour[1:])
    brightness = 0.299 * red + 0.587 * green + 0.114 * blue  # to the eye (ITU-R BT.601)
    end = min(max((brightest - brightness) / (255 - brightness), 0.0), lightest)
    return towards(colour, darkest + i * (end - darkest) / (count - 1))


def towards(colour: str, share: float) -> str:
    """Towards black for a share below 0, towards white above it."""
    end = 0 if share < 0 else 255
    return _hex(part + abs(share) * (end - part) for part in bytes.fromhex(colour[1:]))


def _hex(rgb: Iterable[float]) -> str:
    return "#" + bytes(round(part) for part in rgb).hex()
