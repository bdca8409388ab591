"""XML from outside: no entities, no document types, no network; small faults of the text are repaired."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from armlab.errors import InvalidInput
from armlab.formats.description import Repairs
from armlab.messages import _
from armlab.validation import shown

_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_OTHER_VERSION = re.compile(rb"^(<\?xml\s+version\s*=\s*[\"'])(?!1\.)[^\"'>]*")
_BEFORE_DECLARATION = re.compile(rb"(?s)\s*(?:<!--.*?-->\s*)*")
_PREFIXED = re.compile(r"([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)")
_UNDECLARED_PREFIX = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE


def parse_xml(data: bytes, repairs: Repairs, *, is_large: bool = False) -> Any:
    """Return the root element of a document; a large one may have texts of more than 10 MB.

    Comments or blanks before the XML declaration, a version that does not exist, and prefixes that nobody declared are
    forgiven with a finding.

    Raises:
        InvalidInput: if it is not XML, or declares entities or a document type.
    """
    file = repairs.file
    if not data.strip():
        raise InvalidInput("file_empty", _("{file}: the file is empty"), file=file)
    if b"<!ENTITY" in data:
        raise InvalidInput("xml_entity", _("{file}: entity declarations (<!ENTITY …>) are not allowed"), file=file)
    root = _parsed(_of_version_one(_from_declaration(data, repairs), repairs), repairs, is_large)
    if root.getroottree().docinfo.internalDTD is not None:
        raise InvalidInput(
            "xml_doctype", _("{file}: document type declarations (<!DOCTYPE …>) are not allowed"), file=file
        )
    return root


def _from_declaration(data: bytes, repairs: Repairs) -> bytes:
    """Return the text with its XML declaration first, where only comments and blanks stood before it."""
    found = _DECLARATION.search(data)
    start = 0 if found is None else found.start()
    if found is None or start == 0 or _BEFORE_DECLARATION.fullmatch(data, 0, start) is None:
        return data
    repairs.add("note", 1, "xml_prologue", _("something stands before the XML declaration; it was skipped"))
    lines = b"\n" * data.count(b"\n", 0, start)  # so that every line keeps its number
    return found.group() + lines + data[found.end() :]


def _of_version_one(data: bytes, repairs: Repairs) -> bytes:
    """Return the text as XML 1.0, where its declaration names a version that does not exist."""
    made, count = _OTHER_VERSION.subn(rb"\g<1>1.0", data)
    if count:
        repairs.add("note", 1, "xml_version", _("the XML declaration names a version that does not exist; 1.0 is read"))
    return made


def _parsed(data: bytes, repairs: Repairs, is_large: bool) -> Any:
    try:
        return etree.fromstring(data, _parser(recover=False, is_large=is_large))
    except etree.XMLSyntaxError as error:
        forgiving = _parser(recover=True, is_large=is_large)
        root = None if error.code != _UNDECLARED_PREFIX else etree.fromstring(data, forgiving)
        is_only_prefixes = all(entry.type == _UNDECLARED_PREFIX for entry in forgiving.error_log)
        if root is None or not is_only_prefixes or not _prefixes_declared(root):
            raise InvalidInput(
                "xml_syntax",
                _("{file}: not valid XML: line {line}, column {column}"),
                file=repairs.file,
                line=error.lineno or 0,
                column=error.offset or 0,
                reason=shown(error.msg),
            ) from None
        repairs.add(
            "note", error.lineno, "xml_namespace", _("names have a prefix that is not declared; they were skipped")
        )
        return root


def _prefixes_declared(root: Any) -> bool:
    """Give names with a prefix that nobody declared a namespace of that name; False where such a name is none."""
    for element in root.iter(etree.Element):
        for name in (element.tag, *element.attrib):
            if name[0] == "{" or ":" not in name:
                continue
            found = _PREFIXED.fullmatch(name)
            if found is None:
                return False
            declared = f"{{{found[1]}}}{found[2]}"
            if name == element.tag:
                element.tag = declared
            else:
                element.set(declared, element.attrib.pop(name))
    return True


def _parser(*, recover: bool, is_large: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
        huge_tree=is_large,
    )
