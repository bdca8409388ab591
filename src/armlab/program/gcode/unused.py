"""Words that no code of their line uses: mostly slips of the pen, which LinuxCNC refuses."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode.codes import CYCLES, LENGTH, ONCE, PATH, RADIUS, SPINDLE_MODE, USER_CODES
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.scan import Block

DWELL, SET_DATA, ARC_CODES, CUBIC, QUADRATIC, BORE_BACK = 40, 100, frozenset({20, 30}), 50, 51, 870
CENTERED = ARC_CODES | {CUBIC, QUADRATIC, BORE_BACK}
"""Motions that take I and J."""
DWELLING = frozenset({740, 820, 840, 860, 880, 890})
PECKING = frozenset({730, 830})
M_WITH_P = frozenset({19, 50, 51, 52, 53, 62, 63, 64, 65, 66, 98})
M_WITH_Q = frozenset({19, 61, 66, 67, 68})
NAMED = "dehijklpqr"


def check_words(block: Block, g: dict[str, int], motion: int | None) -> None:
    """Refuse the words of a block that neither its codes nor its motion use.

    Raises:
        BadBlock: if there is one.
    """
    if "r" in block.words and 19 in block.m and g.get(PATH) == 640:
        raise BadBlock("r_ambiguous", _("R may belong to G64 or to M19: write them in two lines"))
    for letter in NAMED:
        if letter in block.words and not _is_used(letter, block, g, motion):
            raise BadBlock("word_unused", _("no code of the line uses the word {letter}"), letter=letter.upper())


def _is_used(  # noqa: PLR0911 - one case per letter
    letter: str, block: Block, g: dict[str, int], motion: int | None
) -> bool:
    m = set(block.m)
    if m & set(USER_CODES) or g.get(ONCE) == SET_DATA:
        return True
    match letter:
        case "d":
            return g.get(RADIUS, 400) != 400 or g.get(SPINDLE_MODE) == 960
        case "e":
            return bool(m & {66, 67, 68})
        case "h":
            return g.get(LENGTH) in {430, 432}
        case "i" | "j":
            return motion in CENTERED
        case "k":
            return motion in ARC_CODES or motion == BORE_BACK
        case "l":
            return motion in CYCLES or bool(m & {66, 98}) or g.get(RADIUS) in {411, 421}
        case "p":
            held = motion in ARC_CODES | DWELLING | {CUBIC}
            return held or g.get(ONCE) == DWELL or g.get(PATH) == 640 or bool(m & M_WITH_P)
        case "q":
            return motion in PECKING | {CUBIC} or g.get(PATH) == 640 or bool(m & M_WITH_Q)
        case _:
            return motion in ARC_CODES | CYCLES or 19 in m or g.get(PATH) == 640
