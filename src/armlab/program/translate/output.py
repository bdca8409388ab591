"""Write the files of a translation: into one folder, each whole or not at all, and never over the source."""

from __future__ import annotations

from pathlib import Path

from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.messages import _
from armlab.program.languages import KRL_SUFFIXES, ProgramSource
from armlab.program.translate.translation import Translation


def write_translation(translation: Translation, folder: Path, source: ProgramSource) -> tuple[Path, ...]:
    """Write the files of a translation into a folder, which is made where there is none; return their paths.

    Raises:
        InvalidInput: if one would take the place of the program that was translated, or cannot be written.
    """
    paths = tuple(folder / Path(file.name).name for file in translation.files)
    own = _own_files(source)
    for path in paths:
        if path.resolve() in own:
            template = _("{file}: this is the program that is translated; write to another folder")
            raise InvalidInput("translate_over_source", template, file=str(path))
    if paths:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            template = _("{file}: cannot be made ({reason})")
            raise InvalidInput("folder_unwritable", template, file=str(folder), reason=error.strerror) from None
    for file, path in zip(translation.files, paths, strict=True):
        write_whole(path, file.data)
    return paths


def _own_files(source: ProgramSource) -> set[Path]:
    path = source.path
    if path is None:
        return set()
    if path.is_dir():
        return {file.resolve() for file in path.rglob("*") if file.suffix.lower() in KRL_SUFFIXES}
    beside = (
        [] if source.language != "krl" else [f for f in path.parent.glob("*") if f.stem.lower() == path.stem.lower()]
    )
    return {file.resolve() for file in (path, *beside)}
