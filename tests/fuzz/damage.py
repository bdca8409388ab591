"""Ways to damage files, each with a seeded generator: of any bytes, and of text."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

Damage = Callable[[np.random.Generator, bytearray], None]


def flip(rng: np.random.Generator, data: bytearray) -> None:
    """Turn a few bits over."""
    for place in rng.integers(0, len(data), rng.integers(1, 6)):
        data[place] ^= 1 << int(rng.integers(8))


def overwrite(rng: np.random.Generator, data: bytearray) -> None:
    """Put noise over some bytes."""
    place, size = int(rng.integers(len(data))), int(rng.integers(1, 60))
    data[place : place + size] = rng.bytes(size)


def cut_out(rng: np.random.Generator, data: bytearray) -> None:
    """Leave some bytes out."""
    place = int(rng.integers(len(data)))
    del data[place : place + int(rng.integers(1, 300))]


def cut_off(rng: np.random.Generator, data: bytearray) -> None:
    """Leave the end out."""
    del data[int(rng.integers(len(data))) :]


def enlarge(rng: np.random.Generator, data: bytearray) -> None:
    """Make a length, or what may be one, as large as it can be."""
    place = int(rng.integers(len(data)))
    data[place : place + 8] = b"\xff" * int(rng.integers(1, 9))


BYTES: tuple[Damage, ...] = (flip, overwrite, cut_out, cut_off, enlarge)
SPLICES = (
    b"1e400", b"-0", b"nan", b"inf", b"0x" + b"f" * 5000, b"9" * 5000, b"[" * 2000, b"{" * 200, b'"', b"'", b"#", b"\n",
    b"\0", b"\xff\xfe", b"=", b"a." * 50, b".." * 30, b"<", b"</robot>", b"<!ENTITY a 'b'>", b"true", b"[[joint]]",
    b"-1e308", b"5e-324", "λ".encode(), b"\\u0000", b"vertex 1 2\n", b"f 1 2 99999999999999999999\n", b"solid",
    b"1" * 500, b"${", b"}", b"- ", b"&a ", b"*a", b"!!", b"<<: ",
)  # fmt: skip
"""Pieces that readers stumble over."""


def splice(rng: np.random.Generator, data: bytearray) -> None:
    """Put such a piece between two bytes, or in the place of some."""
    place = int(rng.integers(len(data) + 1))
    data[place : place + int(rng.integers(2) * rng.integers(400))] = SPLICES[int(rng.integers(len(SPLICES)))]


def repeat(rng: np.random.Generator, data: bytearray) -> None:
    """Say something many times."""
    place = int(rng.integers(len(data)))
    data[place:place] = data[place : place + int(rng.integers(400))] * int(rng.integers(1, 20))


TOKENS = (
    *(b"1e308", b"-1e308", b"1e-300", b"1e12", b"nan", b"inf", b"-0", b"0", b"1_0", b"0x1p3", b"9" * 400, b"9" * 5000),
    *(
        b"",
        b" ",
        b",",
        b";",
        b"\t",
        b'"',
        b"'",
        b"\r",
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
    ),
    *("é".encode(), "\u2028".encode(), "²".encode(), b"#", b"$", b"{", b"}", b"[" * 3000, b"x" * 140_000, b"true"),
)
NUMBERS = (
    *(b"1e308", b"-1e308", b"1e200", b"1e-300", b"-1e-300", b"1e18", b"-1e12", b"1e9", b"1e6", b"1e-9", b"0", b"-1"),
    *(b"", b"nan", b"inf", b"1", b"0.5", b"1000"),
)
NUMBER = re.compile(rb"[-+]?[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?")
WORD = re.compile(rb"[^\s,;:\"=\[\]{}<>]+|[\s,;:\"=\[\]{}<>]")


def replace_words(rng: np.random.Generator, data: bytearray) -> None:
    """Put other words, numbers and signs in the place of a few."""
    words = [match.span() for match in WORD.finditer(data)]
    if not words:
        return
    chosen = sorted({int(k) for k in rng.integers(0, len(words), rng.integers(1, 4))}, reverse=True)
    for k in chosen:
        start, end = words[k]
        data[start:end] = TOKENS[int(rng.integers(len(TOKENS)))]


def replace_numbers(rng: np.random.Generator, data: bytearray) -> None:
    """Put extreme numbers in the place of a few."""
    places = [match.span() for match in NUMBER.finditer(data)]
    for k in sorted({int(k) for k in rng.integers(0, len(places), rng.integers(1, 5))}, reverse=True) if places else ():
        start, end = places[k]
        data[start:end] = NUMBERS[int(rng.integers(len(NUMBERS)))]


def swap_words(rng: np.random.Generator, data: bytearray) -> None:
    """Write one word of the file over another."""
    words = [match.span() for match in WORD.finditer(data)]
    if words:
        a, b = (words[int(k)] for k in rng.integers(0, len(words), 2))
        data[a[0] : a[1]] = bytes(data[b[0] : b[1]])


TEXT: tuple[Damage, ...] = (
    *BYTES,
    splice,
    splice,
    repeat,
    *[replace_words] * 3,
    swap_words,
    swap_words,
    *[replace_numbers] * 6,
)


def damaged(whole: bytes, seed: int, ways: tuple[Damage, ...] = BYTES) -> bytes:
    """Return a damaged copy of a file: damaged once or a few times."""
    rng = np.random.default_rng(seed)
    data = bytearray(whole)
    for way in rng.integers(0, len(ways), rng.choice((1, 1, 1, 2, 3))):
        if data:
            ways[int(way)](rng, data)
    return bytes(data)
