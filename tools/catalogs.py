"""Keep the message catalogs in step with the templates in src/armlab.

    python tools/catalogs.py extract           write src/armlab/locale/armlab.pot, for Poedit
    python tools/catalogs.py update [LANG …]   bring armlab.po of each language up to date; a new LANG gets a new file
    python tools/catalogs.py compile           write the .mo files that gettext reads
    python tools/catalogs.py --check           fail with the list of what is missing, stale or wrong

Babel finds the templates in `_("…")`, `n_("…", "…")` and `tr("…")`. A translation has the same placeholders as its
template, with the same formats; one of a plural has as many forms as the language. Catalogs have neither dates nor line
numbers, so that they change only where a text does.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import re
import string
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "armlab"
KEYWORDS = {"_": None, "n_": (1, 2), "tr": None}
CHANGING = (
    "Project-Id-Version",
    "POT-Creation-Date",
    "PO-Revision-Date",
    "Generated-By",
    "Report-Msgid-Bugs-To",
    "Last-Translator",
    "Language-Team",
)
"""Lines of the header that would change although no message does."""
NOISE = re.compile(rf'^"({"|".join(CHANGING)}): .*\n'.encode(), re.MULTILINE)
HEADER = "# Messages of armlab. Edit with Poedit or any text editor; tools/catalogs.py keeps the list of messages."


def extract(source: Path = SOURCE) -> Catalog:
    """Return the templates of all Python files under `source`."""
    catalog = Catalog(project="armlab", header_comment=HEADER, charset="utf-8")
    found = extract_from_dir(source, method_map=[("**.py", "python")], keywords=KEYWORDS, strip_comment_tags=True)
    for file, _line, message, comments, context in found:
        if message and message != "":
            catalog.add(message, locations=[(Path(file).as_posix(), 0)], auto_comments=comments, context=context)
    return catalog


def catalog_path(locale: Path, language: str) -> Path:
    """Return where the catalog of `language` is."""
    return locale / language / "LC_MESSAGES" / "armlab.po"


def read(path: Path, language: str) -> Catalog:
    """Return the catalog in `path`, or an empty one."""
    if not path.is_file():
        return Catalog(locale=language, project="armlab", header_comment=HEADER, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def text_of(catalog: Catalog) -> bytes:
    """Return a catalog as the file has it: grouped by source file, without dates and line numbers."""
    out = io.BytesIO()
    catalog.fuzzy = False  # Babel marks the header of every new catalog
    write_po(out, catalog, width=120, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    return NOISE.sub(b"", out.getvalue())


def update(languages: Iterable[str], source: Path = SOURCE) -> None:
    """Add new templates to each catalog and drop those that are gone; translations of the others stay as they are."""
    templates = extract(source)
    for language in languages:
        path = catalog_path(source / "locale", language)
        catalog = read(path, language)
        catalog.update(templates, no_fuzzy_matching=True, update_header_comment=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text_of(catalog))


def languages_in(locale: Path) -> list[str]:
    """Return the languages that have a catalog, and those that the package promises."""
    sys.path.insert(0, str(SOURCE.parent))
    from armlab.messages import ENGLISH, LANGUAGES

    there = [path.parent.parent.name for path in locale.glob("*/LC_MESSAGES/armlab.po")]
    return sorted({*there, *LANGUAGES} - {ENGLISH})


def problems(source: Path = SOURCE) -> list[str]:
    """Return everything that is wrong with templates and translations, one line each."""
    found = [*unreadable(source)]
    templates = extract(source)
    for language in languages_in(source / "locale"):
        catalog = read(catalog_path(source / "locale", language), language)
        found += [f"{language}: {problem}" for problem in problems_of(catalog, templates)]
    return found


def problems_of(catalog: Catalog, templates: Catalog) -> Iterator[str]:
    """Yield what one catalog lacks, has too much, or has wrong."""
    forms = catalog.num_plurals
    known = {_key(message) for message in templates if message.id}
    for message in templates:
        if not message.id:
            continue
        translation = catalog.get(_first(message), message.context)
        if translation is None or _key(translation) != _key(message) or not any(_strings(translation)):
            yield f"missing: {_first(message)!r}"
        else:
            yield from wrong_in(translation, forms)
    for message in catalog:
        if message.id and _key(message) not in known:
            yield f"stale: {_first(message)!r}"


def wrong_in(message: Message, forms: int) -> Iterator[str]:
    """Yield what is wrong with one translation."""
    strings = _strings(message)
    if message.fuzzy:
        yield f"marked as fuzzy: {_first(message)!r}"
    if message.pluralizable and (len(strings) != forms or not all(strings)):
        yield f"{sum(map(bool, strings))} of {forms} plural forms: {_first(message)!r}"
    wanted = fields(_key(message)[-1])
    for text in filter(None, strings):
        if (given := fields(text)) != wanted:
            yield f"placeholders {_listed(given)} instead of {_listed(wanted)}: {_first(message)!r}"


def fields(template: str) -> frozenset[str]:
    """Return the placeholders of a template with their formats: `value:.1f`; or the error that it has."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        return frozenset({f"<{error}>"})
    return frozenset(
        name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        for _text, name, spec, conversion in parts
        if name is not None
    )


def unreadable(source: Path) -> Iterator[str]:
    """Yield the calls whose template Babel cannot read because it is put together at run time."""
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS):
                continue
            number = len(KEYWORDS[node.func.id] or (1,))
            built = [a for a in node.args[:number] if not _is_readable(a, is_marker=node.func.id != "tr")]
            if built or len(node.args) < number:
                place = f"{path.relative_to(source).as_posix()}:{node.lineno}"
                yield f"{place}: the template in {node.func.id}(…) must be one string literal"
        yield from shadowed(path, source)


def shadowed(path: Path, source: Path) -> Iterator[str]:
    """Yield the functions that mark a template with `_` and also assign to `_`: their call would fail."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = [*ast.walk(node)]
            marks = any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "_" for n in inside)
            own = {
                n for c in inside if isinstance(c, ast.comprehension) for n in ast.walk(c.target)
            }  # a scope of its own
            stores = any(
                isinstance(n, ast.Name) and n.id == "_" and isinstance(n.ctx, ast.Store) and n not in own
                for n in inside
            )
            if marks and stores:
                yield f"{path.relative_to(source).as_posix()}:{node.lineno}: {node.name} assigns to _ and calls it"


def _is_readable(argument: ast.expr, *, is_marker: bool) -> bool:
    if isinstance(argument, ast.Constant):
        return isinstance(argument.value, str)
    return not is_marker and not isinstance(argument, ast.JoinedStr | ast.BinOp)  # tr(name): marked where it is made


def _key(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def _first(message: Message) -> str:
    return _key(message)[0]


def _strings(message: Message) -> tuple[str, ...]:
    given = message.string or ""
    return (given,) if isinstance(given, str) else tuple(given)


def _listed(given: frozenset[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(given)) or "none"


def compile_all() -> None:
    """Write the .mo files, as the build hook does."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = hook
    spec.loader.exec_module(hook)
    hook.compile_catalogs()


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", nargs="?", choices=("extract", "update", "compile"))
    parser.add_argument("languages", nargs="*", metavar="LANG")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    locale = SOURCE / "locale"
    if options.check == bool(options.act):
        parser.error("give extract, update, compile or --check")
    for language in options.languages:
        Locale.parse(language)
    match options.act:
        case "extract":
            locale.mkdir(exist_ok=True)
            (locale / "armlab.pot").write_bytes(text_of(extract()))
        case "update":
            update(options.languages or languages_in(locale))
            compile_all()
        case "compile":
            compile_all()
    found = problems() if options.check else []
    if found:
        print("\n".join(found))
        print(f"{len(found)} problems in the catalogs; `python tools/catalogs.py update` adds and drops messages")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
