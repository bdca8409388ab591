"""The meshes of a description become its links' own surfaces, and the convex parts that they collide with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import bounded_bytes
from armlab.formats.decompose import decompose
from armlab.formats.description import DescribedLink, Description, MeshUse, Repairs
from armlab.formats.given import GivenFiles
from armlab.formats.link_shapes import as_visual
from armlab.formats.mesh_parts import MAX_BYTES, MeshPiece, TriangleMesh, as_mesh, one_mesh
from armlab.formats.mesh_store import content_key, store_hulls, store_pieces, stored_hulls, stored_pieces
from armlab.formats.mesh_units import Factors, MeshUnit, mesh_factors
from armlab.formats.meshes import mesh_pieces
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual, is_closed, moments, placed
from armlab.messages import _
from armlab.threads import map_items, one_blas_thread

PARTS = 8
"""Convex parts of one mesh at most."""
TRIED = 800
"""Triangles of a piece that planes are tried on: a third of the time of the usual number."""
MAX_MESHES = 2000
MAX_TRIANGLES_IN_ALL = 5_000_000

OnMesh = Callable[[int, int, str], None]
"""Is told before each mesh is read, and again when its collision parts are made: step, number of steps, its name."""


@dataclass
class _Progress:
    on_mesh: OnMesh | None
    steps: int
    done: int = 0

    def tell(self, name: str) -> None:
        self.done += 1
        if self.on_mesh is not None:
            self.on_mesh(self.done, self.steps, name)


class ShownMesh(NamedTuple):
    """A mesh file: its pieces, and all of it as one."""

    pieces: tuple[MeshPiece, ...]
    whole: TriangleMesh


def with_meshes(
    description: Description,
    files: GivenFiles,
    folder: Path,
    on_mesh: OnMesh | None = None,
    unit: MeshUnit | None = None,
) -> Description:
    """Return the description with the meshes of its links read from the given files, and findings about them.

    `unit` is that of files that do not say theirs; without it, it is judged by the joints. What cannot be found or read
    is said, and the link does without it. Links that have a surface but no mass weigh what their closed volume does.
    """
    uses = [use for link in description.links.values() for use in link.meshes]
    if not uses:
        return description
    weighs = description.format != "mjcf"  # MuJoCo's rules have made its masses, also those of meshes
    reader = _MeshReader(files, folder, Repairs(description.file), weighs=weighs)
    first = {use.file: use for use in reversed(uses)}
    names = list(dict.fromkeys(use.file for use in uses))[:MAX_MESHES]
    progress = _Progress(on_mesh, 2 * len(names))
    for name in names:
        progress.tell(name)
        reader.read(name, first[name])
    reader.cut(names, [use for link in description.links.values() for use in reader.collided(link)], progress)
    extents = {name: np.ptp(shown.whole.vertices, axis=0) for name, shown in reader.shown.items() if shown is not None}
    factors = mesh_factors(description, extents, unit, reader.repairs)
    links = {name: reader.link(link, factors) for name, link in description.links.items()}
    return replace(description, links=links, findings=(*description.findings, *reader.repairs.findings))


@dataclass
class _MeshReader:
    files: GivenFiles
    folder: Path
    repairs: Repairs
    weighs: bool
    """Whether links without a mass get one by their volume."""

    def __post_init__(self) -> None:
        self.shown: dict[str, ShownMesh | None] = {}
        self.hulls: dict[str, list[Floats]] = {}
        self._triangles = 0

    def read(self, name: str, use: MeshUse) -> None:
        """Read a mesh once; one that is missing or broken becomes a finding."""
        path = self.files.find(name, self.folder)
        self.shown[name] = None
        if path is None:
            self.repairs.add(
                "warning",
                use.line,
                "mesh_missing",
                _("mesh '{mesh}' is not among the given files; the link does without it"),
                mesh=name[:200],
            )
            return
        try:
            shown = shown_mesh(path, self.files)
            self._triangles += len(shown.whole.faces)
            if self._triangles > MAX_TRIANGLES_IN_ALL:
                template = _("all meshes together have more than the {most} triangles allowed")
                raise InvalidInput("meshes_too_many_triangles", template, most=MAX_TRIANGLES_IN_ALL)  # noqa: TRY301
            self.shown[name] = shown
        except InvalidInput as error:
            self.repairs.add(
                "warning",
                use.line,
                "mesh_unreadable",
                _("mesh '{mesh}' cannot be used: {reason}; the link does without it"),
                mesh=name[:200],
                reason=error.message,
            )

    def collided(self, link: DescribedLink) -> list[MeshUse]:
        """Return the meshes that a link collides with: those meant for that, else those that are shown."""
        found = [use for use in link.meshes if self.shown.get(use.file) is not None]
        felt = [use for use in found if use.is_collision]
        return felt or ([] if link.felt else found)

    def cut(self, names: Sequence[str], uses: Sequence[MeshUse], progress: _Progress) -> None:
        """Make the convex parts of the meshes in use, in their files' own units, on all cores; equal ones once."""
        wanted = {use.file for use in uses}
        shown = {name: found for name in names if name in wanted and (found := self.shown[name]) is not None}
        keys = {name: parts_key(found.whole) for name, found in shown.items()}
        first = {key: name for name, key in reversed(keys.items())}

        def parts(name: str) -> list[Floats]:
            progress.tell(name)
            return convex_parts(shown[name].whole)

        for name in names:
            if first.get(keys.get(name, "")) != name:
                progress.tell(name)
        made = {key: hulls for key in first if (hulls := stored_hulls(key)) is not None}
        for key in made:
            progress.tell(first[key])
        if missing := [key for key in first if key not in made]:
            with one_blas_thread():
                made.update(zip(missing, map_items(parts, [first[key] for key in missing]), strict=True))
        self.hulls = {name: made[key] for name, key in keys.items()}

    def link(self, link: DescribedLink, factors: Factors) -> DescribedLink:
        """Return a link with its surfaces and solids."""
        found = [use for use in link.meshes if self.shown.get(use.file) is not None]
        if not found:
            return link
        seen = [use for use in found if not use.is_collision]
        felt = [use for use in found if use.is_collision]
        is_shown = bool(seen or link.seen)
        visuals = [
            visual
            for use in (seen if is_shown else felt)
            for visual in self._visuals(use, factors[use.file, use.scale])
        ]
        visuals += map(as_visual, link.seen if is_shown else link.felt)
        shapes = list(link.felt if felt or link.felt else link.seen)
        for use in self.collided(link):
            T = _place(use, factors[use.file, use.scale])
            moved = (points @ T[:3, :3].T + T[:3, 3] for points in self.hulls[use.file])
            shapes += [Shape("hull", (), np.eye(4), points=points) for points in moved]
        if link.inertia.mass > 0.0 or not self.weighs:
            return replace(link, shapes=tuple(shapes), visuals=tuple(visuals))
        inertia = estimated_inertia(visuals, shapes)
        return replace(link, shapes=tuple(shapes), visuals=tuple(visuals), estimate=inertia)

    def _visuals(self, use: MeshUse, factor: float) -> Iterable[Visual]:
        shown = self.shown[use.file]
        assert shown is not None
        T = _place(use, factor)
        for piece in shown.pieces:
            yield placed(Visual(piece.vertices, piece.faces, piece.colour or use.colour), T)


def parts_key(mesh: TriangleMesh) -> str:
    """Return the name under which the convex parts of a mesh are kept."""
    return content_key(b"parts", bytes([PARTS]), mesh.vertices.tobytes(), mesh.faces.tobytes())


def convex_parts(mesh: TriangleMesh) -> list[Floats]:
    """Return the corners of convex parts that contain a mesh; what was cut before comes from the cache."""
    key = parts_key(mesh)
    hulls = stored_hulls(key)
    if hulls is None:
        found = [shape.points for shape in decompose(mesh.vertices, mesh.faces, parts=PARTS, tried=TRIED)]
        hulls = [points for points in found if points is not None]
        store_hulls(key, hulls)
    return hulls


def _place(use: MeshUse, factor: float) -> Floats:
    return use.T_link_mesh @ np.diag([*(factor * value for value in use.scale), 1.0]) @ use.T_mesh_file


def shown_mesh(path: Path, files: GivenFiles) -> ShownMesh:
    """Return a mesh file's pieces, each with equal vertices made one; what was read before comes from the cache."""
    data = bounded_bytes(path, MAX_BYTES)
    asked: list[str] = []

    def beside(name: str) -> bytes | None:
        asked.append(name)
        found = files.find(name, path.parent)
        return None if found is None else bounded_bytes(found, MAX_BYTES)

    key = content_key(b"pieces", path.suffix.lower().encode(), data)
    pieces = stored_pieces(key)
    if pieces is None:
        pieces = _by_colour(mesh_pieces(data, path.suffix, beside))
        if not asked:  # what depends on other files is read again: they may change
            store_pieces(key, pieces)
    whole = TriangleMesh(pieces[0].vertices, pieces[0].faces) if len(pieces) == 1 else one_mesh(pieces)
    return ShownMesh(tuple(pieces), whole)


def _by_colour(pieces: Sequence[MeshPiece]) -> list[MeshPiece]:
    """Return one checked piece for each colour; a colour whose triangles have no area is left out."""
    one_mesh(list(pieces))  # all that is wrong with it is an error, also in a small part
    by_colour: dict[str | None, list[MeshPiece]] = {}
    for piece in pieces:
        by_colour.setdefault(piece.colour, []).append(piece)
    found = []
    for colour, same in by_colour.items():
        try:
            mesh = one_mesh(same)
        except InvalidInput as error:
            if error.code != "mesh_no_area":
                raise
            continue
        found.append(MeshPiece(mesh.vertices, mesh.faces, colour))
    return found


def estimated_inertia(visuals: Sequence[Visual], shapes: Sequence[Shape]) -> Inertia:
    """Return what a link weighs by the volume of its closed surface, or of its solids, with the density of an arm."""
    if visuals:
        whole = one_mesh([MeshPiece(each.vertices, each.faces) for each in visuals])
        surface = Visual(*as_mesh(whole.vertices, whole.faces))
        volume, centre, second = moments(surface) if is_closed(surface) else (0.0, np.zeros(3), np.eye(3))
        if volume > 0.0:
            tensor = np.trace(second) * np.eye(3) - second
            return Inertia(solid.DENSITY * volume, centre, solid.DENSITY * tensor)
    return solid.inertia(tuple(shapes)) if shapes else Inertia()
