"""The lines that most programs are made of, read quickly: G0 or G1, axes, F, N in any order, and nothing else.

Neighbouring lines mostly have the same letters in the same order. Such a shape has a pattern of its own, which is tried
first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from armlab.program.gcode.canon import Feed, Setting, Traverse

if TYPE_CHECKING:
    from armlab.program.gcode.run import Run
    from armlab.program.gcode.source import SourcePosition

UNITS_PER_MINUTE = 940
LONGEST = 255
LETTERS = "xyzabc"
CODE, FEED = -1, -2
"""Which word a group of a pattern holds, where it is not an axis."""

_NOT_LETTERS = b"0123456789.+- \t\r"
_NUMBER = r"[ \t]*([-+]?[\d.]+)[ \t]*"
_PATTERNS = {
    "n": r"[Nn][ \t]*\d+[ \t]*",
    "g": r"[Gg][ \t]*0?([01])(?![\d.])[ \t]*",
    **{letter: rf"[{letter.upper()}{letter}]{_NUMBER}" for letter in "xyzabcf"},
}
_IGNORED_E = r"[Ee][ \t]*[-+]?[\d.]*[ \t]*"
"""The extruder's axis, where a dialect leaves it out."""
_KINDS = {"g": CODE, "f": FEED, **{letter: i for i, letter in enumerate(LETTERS)}}


class LineShape(NamedTuple):
    """Lines with the same letters: their pattern, and what its groups hold."""

    pattern: re.Pattern[bytes]
    kinds: tuple[int, ...]


@lru_cache(maxsize=1000)
def shape_of(letters: bytes, *, ignores_e: bool = False) -> LineShape | None:
    """Return the shape of a line with these letters, or None where that is not a plain line."""
    text = letters.decode("ascii", "replace").lower()
    patterns = {**_PATTERNS, "e": _IGNORED_E} if ignores_e else _PATTERNS
    is_plain = set(text) <= patterns.keys() and len(set(text)) == len(text) and "n" not in text[1:]
    if not is_plain or not set(text) & set(LETTERS):
        return None
    pattern = "[ \t]*" + "".join(patterns[letter] for letter in text) + r"\r?(?:\n|\Z)"
    return LineShape(re.compile(pattern.encode()), tuple(_KINDS[letter] for letter in text if letter not in "ne"))


def take_plain(run: Run, place: SourcePosition) -> bool:  # noqa: C901 - every step costs: most time is spent here
    """Execute the line at `place` if it is a plain one, and go behind it; return whether it was.

    Whatever is unusual about a line (a word twice, no feed rate, another code) is left to the thorough reader.
    """
    data, byte = place.source.data, place.byte
    shape = run.shape
    found = None if shape is None else shape.pattern.match(data, byte)
    if found is None:
        newline = data.find(b"\n", byte, byte + LONGEST + 2)
        run.shape = shape = shape_of(
            data[byte : newline if newline >= 0 else byte + LONGEST].translate(None, _NOT_LETTERS),
            ignores_e=run.ignores_e,
        )
        found = None if shape is None else shape.pattern.match(data, byte)
    if found is None or shape is None:
        return False
    machine = run.machine
    modes = machine.modes
    motion, rate, feed = modes.motion, modes.feed, None
    end = machine.position.copy()
    try:
        for kind, word in zip(shape.kinds, found.groups(), strict=True):
            if kind >= 0:
                end[kind] = end[kind] + float(word) if modes.is_incremental else float(word)
            elif kind == CODE:
                motion = 10 if word == b"1" else 0
            else:
                feed = rate = float(word)
    except ValueError:  # 1.2.3
        return False
    length = found.end() - byte
    is_feed = motion == 10
    if (motion and not is_feed) or rate < 0.0 or (is_feed and rate == 0.0) or length > LONGEST:
        return False
    if run.compensation is not None or modes.feed_mode != UNITS_PER_MINUTE:
        return False
    number = place.line + 1
    if feed is not None:
        modes.feed = feed
        run.out.append(Setting(number, "set_feed_rate", (feed,)))
    modes.motion = motion
    machine.position = end
    x, y, z, a, b, c, u, v, w = end
    point = (x, y, z, a, b, c, u, v, w)
    world = machine.world(point)
    run.out.append(Feed(number, point, world, rate, 0.0) if is_feed else Traverse(number, point, world))
    place.byte = byte + length
    place.line = run.line = number
    run.column, run.end = found.start(1) - byte, length
    if run.cycle_memory.code:
        run.cycle_memory.forget()
    run.spline_memory.tangent, run.is_arc_refused = None, False
    return True
