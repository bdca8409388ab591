"""SRDF, what MoveIt keeps beside a URDF file: which links need not be compared with each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.description import Description, Repairs
from armlab.formats.given import GivenFiles
from armlab.formats.safe_xml import parse_xml
from armlab.formats.xml_attributes import printable
from armlab.messages import _
from armlab.model.pair_rule import PairRule

MAX_BYTES = 5_000_000
MAX_REASON = 80


def srdf_rules(description: Description, file: Path, files: GivenFiles, repairs: Repairs) -> tuple[PairRule, ...]:
    """Return what the SRDF file of a robot says of pairs of its links; nothing where there is none.

    It is the one among the given files that names the same robot; of several the one named like `file`.
    """
    found = [(path, root) for path in _candidates(file, files) if (root := _root(path, repairs)) is not None]
    mine = [(path, root) for path, root in found if root.get("name", "").strip() == description.name]
    mine = [(path, root) for path, root in mine if path.stem == file.name.split(".")[0]] or mine
    if len(mine) > 1:
        names = [path.name for path, _root in mine]
        text = _(
            "several SRDF files name this robot, and none was used: {files}; give one, or name it like the arm's file"
        )
        repairs.add("warning", None, "srdf_several", text, files=names)
        return ()
    return tuple(_rules(*mine[0], description, repairs)) if mine else ()


def _candidates(file: Path, files: GivenFiles) -> list[Path]:
    try:
        return files.with_suffix({".srdf"})
    except InvalidInput:  # too many files to look through: only those beside it
        return sorted(path for path in file.parent.glob("*.srdf") if files.inside(path) is not None)


def _root(path: Path, repairs: Repairs) -> Any | None:
    """Return the root of a document; None of one that cannot be read, which is said."""
    try:
        root = parse_xml(read_bounded(path, MAX_BYTES), Repairs(path.name))
    except InvalidInput as error:
        text = _("'{srdf}' cannot be used: {reason}; links are compared as if it were not there")
        repairs.add("warning", None, "srdf_unreadable", text, srdf=path.name, reason=error.message)
        return None
    return root if root.tag == "robot" else None


def _rules(path: Path, root: Any, description: Description, repairs: Repairs) -> Iterator[PairRule]:
    """Give the rules in the order in which they hold: what no link does by default, then pairs."""
    known, unknown = description.links, set[str]()
    for element in root.iterchildren("disable_default_collisions"):
        link = element.get("link", "")
        unknown |= {link} - set(known)
        for other in known if link in known else ():
            if other != link:
                yield PairRule(link, other, reason=_reason(path, element))
    for tag, is_compared in (("disable_collisions", False), ("enable_collisions", True)):
        for element in root.iterchildren(tag):
            first, second = element.get("link1", ""), element.get("link2", "")
            unknown |= {first, second} - set(known)
            if first in known and second in known and first != second:
                yield PairRule(first, second, is_compared, _reason(path, element))
    if unknown:
        text = _("'{srdf}' speaks of links that the arm does not have: {links}")
        repairs.add(
            "note", None, "srdf_links", text, srdf=path.name, links=[printable(name) for name in sorted(unknown)[:8]]
        )


def _reason(path: Path, element: Any) -> str:
    said = printable(element.get("reason", "")).strip()
    return f"{path.name}: {said}"[:MAX_REASON] if said else path.name[:MAX_REASON]
