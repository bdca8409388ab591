"""A project as one file: JSON, or, where it has files of its own, a zip of project.json and assets/SHA-256.toml|glb."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO

from armlab.assets import AssetStore, asset_missing, asset_store, meshes_of, references_in
from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.given import opened_zip
from armlab.messages import _

MOST_TEXT = 10_000_000
"""Bytes of the document alone."""
DOCUMENT = "project.json"
DATE = (2000, 1, 1, 0, 0, 0)
"""Of all parts: the same project is the same file, byte for byte."""
_CHUNK = 1 << 20


def is_packed(path: Path) -> bool:
    """Tell whether a project's file is a zip."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


def read_document(path: Path, store: AssetStore) -> bytes:
    """Return the document (JSON) of a project's file; what a zip holds besides is kept in `store`.

    Raises:
        InvalidInput: if it cannot be read, an asset is missing, or one is not what its name says.
    """
    if not is_packed(path):
        return read_bounded(path, MOST_TEXT)
    with opened_zip(path) as archive:
        if DOCUMENT not in archive.NameToInfo:
            raise InvalidInput("no_document", _("the zip has no {part}"), part=DOCUMENT)
        document = _part(archive, DOCUMENT)
        for name in references_in(document.decode(errors="replace")):
            _keep(store, archive, name, "toml")
            for meshes in meshes_of(store.read(name)):
                _keep(store, archive, meshes, "glb")
    return document


def write_packed(document: str, stream: IO[bytes]) -> None:
    """Write a project with all its files as a zip.

    Raises:
        InvalidInput: if one of them is not in the store.
    """
    store = asset_store()
    names = store.closure(references_in(document))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(_info(DOCUMENT), document)
        for name, ending in names.items():
            archive.writestr(_info(f"assets/{name}.{ending}"), store.read(name))


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MOST_TEXT:
        text = _("{part}: larger than the {most:g} MB allowed")
        raise InvalidInput("document_too_large", text, part=name, most=MOST_TEXT / 1e6)
    return archive.read(name)


def _keep(store: AssetStore, archive: zipfile.ZipFile, name: str, ending: str) -> None:
    """Keep an asset of a zip, unless the store has it."""
    if store.has(name):
        store.path(name)
        return
    part = f"assets/{name}.{ending}"
    if part not in archive.NameToInfo:
        raise asset_missing(name)
    with archive.open(part) as stream, store.upload(name) as upload:
        while data := stream.read(_CHUNK):
            upload.write(data)
