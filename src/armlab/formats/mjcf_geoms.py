"""Geoms of MJCF: what they look like, what they collide with, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import DescribedLink, MeshUse, Repairs
from armlab.formats.given import GivenFiles
from armlab.formats.link_meshes import MAX_TRIANGLES_IN_ALL, shown_mesh
from armlab.formats.mesh_parts import TriangleMesh, hex_colour
from armlab.formats.mjcf_contact import GeomMasks
from armlab.formats.mjcf_mass import NOTHING, Content, fitted, mesh_content, shell_content, solid_content
from armlab.formats.mjcf_values import ClassedValues, Compiler, frame, orientation
from armlab.geometry import hull, pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.messages import _

MAX_GEOMS = 10_000
DENSITY = 1000.0
"""kg/m³ of a geom that does not say."""
ROUND = 12
"""Corners round an ellipsoid, which stands for it as a convex part."""
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""How many numbers say how large a geom is."""


class MjcfMesh(NamedTuple):
    """A mesh asset: its file or its own points, and how its points become metres in the frame of a geom."""

    file: str
    points: Floats | None
    faces: Floats | None
    scale: tuple[float, float, float]
    T_ref_file: Floats
    """Applied to the points before they are scaled."""
    inertia: str

    def placed(self, mesh: TriangleMesh) -> TriangleMesh:
        """Return triangles of the file where and as large as the asset has them."""
        moved = mesh.vertices @ self.T_ref_file[:3, :3].T + self.T_ref_file[:3, 3]
        return TriangleMesh(moved * self.scale, mesh.faces)


@dataclass
class _Parts:
    """What the geoms of one link are."""

    seen: list[Shape] = field(default_factory=list)
    felt: list[Shape] = field(default_factory=list)
    meshes: list[MeshUse] = field(default_factory=list)


class GeomReader:
    """Reads the geoms of a document, whose meshes are among the given files."""

    def __init__(
        self,
        root: Any,
        values: ClassedValues,
        compiler: Compiler,
        files: GivenFiles,
        folder: Path,
        repairs: Repairs,
        masks: GeomMasks,
    ) -> None:
        self._values, self._compiler, self._repairs, self._masks = values, compiler, repairs, masks
        self._files, self._folder = files, folder
        self._assets = self._mesh_assets(root)
        self._materials = {
            element.get("name", ""): values.of(element, "") for element in root.iterfind("asset/material")
        }
        self._parts: dict[str, _Parts] = {}
        self._contents: dict[tuple[str, str], Content] = {}
        self._meshes: dict[str, TriangleMesh | None] = {}
        self._count = self._triangles = 0

    def link(self, link: DescribedLink) -> DescribedLink:
        """Return a link with all of its geoms that were read."""
        parts = self._parts.get(link.name)
        if parts is None:
            return link
        return replace(link, seen=tuple(parts.seen), felt=tuple(parts.felt), meshes=tuple(parts.meshes))

    def read(self, element: Any, link: str, T_link_here: Floats, childclass: str) -> list[tuple[Inertia, Floats]]:
        """Keep a geom for its link; return what it weighs, with the frame of that on the link."""
        self._count += 1
        if self._count > MAX_GEOMS:
            template = _("{file}: more than {most} geoms")
            raise InvalidInput("mjcf_too_many_geoms", template, file=self._repairs.file, most=MAX_GEOMS)
        own = self._values.of(element, childclass)
        parts = self._parts.setdefault(link, _Parts())
        kind, T = own.get("type", "sphere"), T_link_here @ self._frame(own)
        collides = self._masks.add(link, own)
        asset = self._assets.get(own["mesh"]) if "mesh" in own else None
        if asset is None:
            size = self._size(own, kind)
            content, shapes = self._solid(own, kind, size), _shapes(kind, size, T)
        elif kind == "mesh" or self._mesh(own["mesh"]) is None:
            content, shapes = self._content(own["mesh"], asset.inertia), []
            if asset.points is None:
                use = MeshUse(
                    asset.file, asset.scale, T, collides, element.sourceline or 0, self._colour(own), asset.T_ref_file
                )
                parts.meshes.append(use)
            else:
                shapes = _hulls(self._mesh(own["mesh"]), T)
        else:
            size, T_here = self._fit(own, kind, asset)
            T = T @ T_here
            content, shapes = self._solid(own, kind, size), _shapes(kind, size, T)
        (parts.felt if collides else parts.seen).extend(shapes)
        return self._weight(own, content, T)

    def _weight(self, own: dict[str, str], content: Content, T: Floats) -> list[tuple[Inertia, Floats]]:
        first, last = self._compiler.rules.groups
        (group,) = self._values.numbers(own, "group", 1, (0.0,))
        (mass,) = self._values.numbers(own, "mass", 1, (-1.0,))
        (density,) = self._values.numbers(own, "density", 1, (DENSITY,))
        inertia = content.inertia(mass if mass >= 0.0 else None, density)
        return [(inertia, T)] if inertia.mass > 0.0 and first <= group <= last else []

    def _solid(self, own: dict[str, str], kind: str, size: tuple[float, ...]) -> Content:
        if not size:
            return NOTHING
        return shell_content(kind, size) if own.get("shellinertia") == "true" else solid_content(kind, size)

    def _size(self, own: dict[str, str], kind: str) -> tuple[float, ...]:
        """Return radii and halves of lengths; none for a geom without extent, or a plane."""
        count = _SIZES.get(kind, 0)
        size = [abs(value) for value in self._values.numbers(own, "size", None, ())]
        if "fromto" in own and count > 1:
            ends = np.array(self._values.numbers(own, "fromto", 6, (0.0,) * 6)).reshape(2, 3)
            size = [*size[:1] * (count - 1), float(np.linalg.norm(ends[0] - ends[1])) / 2.0]
        return tuple(size[:count]) if len(size) >= count and min(size[:count], default=0.0) > 0.0 else ()

    def _frame(self, own: dict[str, str]) -> Floats:
        if "fromto" not in own or own.get("type", "sphere") == "sphere":
            return frame(own, self._compiler, self._values)
        ends = np.array(self._values.numbers(own, "fromto", 6, (0.0,) * 6)).reshape(2, 3)
        T = pose.from_xyz(ends.mean(axis=0))
        along = " ".join(map(repr, (ends[0] - ends[1]).tolist()))
        T[:3, :3] = orientation({"zaxis": along}, self._compiler, self._values)
        return T

    def _colour(self, own: dict[str, str]) -> str | None:
        """Return the colour of a geom: its material's, or its own."""
        rgba = self._materials.get(own.get("material", "")) or own
        red, green, blue, *_alpha = self._values.numbers(rgba, "rgba", None, (0.5, 0.5, 0.5, 1.0)) or (0.5,) * 4
        return hex_colour(red, green, blue) if "rgba" in rgba else None

    # meshes

    def _mesh_assets(self, root: Any) -> dict[str, MjcfMesh]:
        """Return the meshes by name."""
        found = {}
        for element in root.iterfind("asset/mesh"):
            own = self._values.of(element, "")
            file = own.get("file", "")
            x, y, z = self._values.numbers(own, "scale", 3, (1.0, 1.0, 1.0))
            T_file_ref = pose.from_xyz(np.array(self._values.numbers(own, "refpos", 3, (0.0, 0.0, 0.0))))
            T_file_ref[:3, :3] = orientation({"quat": own.get("refquat", "1 0 0 0")}, self._compiler, self._values)
            points = self._rows(own, "vertex")
            if points is None and not file:
                continue
            found[own.get("name") or Path(file).stem] = MjcfMesh(
                self._compiler.mesh_file(file),
                points,
                self._rows(own, "face"),
                (x, y, z),
                pose.inverse(T_file_ref),
                own.get("inertia", "legacy"),
            )
        return found

    def _rows(self, own: dict[str, str], key: str) -> Floats | None:
        if key not in own:
            return None
        values = np.array(self._values.numbers(own, key, None, ()))
        return values[: len(values) // 3 * 3].reshape(-1, 3)

    def _mesh(self, name: str) -> TriangleMesh | None:
        """Return the triangles of a mesh as the asset places them; None where they cannot be had."""
        if name not in self._meshes:
            asset = self._assets[name]
            found = self._file_mesh(asset) if asset.points is None else _own_mesh(asset.points, asset.faces)
            self._triangles += 0 if found is None else len(found.faces)
            is_usable = found is not None and self._triangles <= MAX_TRIANGLES_IN_ALL
            self._meshes[name] = asset.placed(found) if found is not None and is_usable else None
        return self._meshes[name]

    def _file_mesh(self, asset: MjcfMesh) -> TriangleMesh | None:
        """Return a file's triangles; what is wrong with it is said where the link's looks are read."""
        path = self._files.find(asset.file, self._folder)
        try:
            return None if path is None else shown_mesh(path, self._files).whole
        except InvalidInput:
            return None

    def _content(self, name: str, mode: str) -> Content:
        if (name, mode) not in self._contents:
            mesh = self._mesh(name)
            self._contents[name, mode] = NOTHING if mesh is None else mesh_content(mesh, mode)
        return self._contents[name, mode]

    def _fit(self, own: dict[str, str], kind: str, asset: MjcfMesh) -> tuple[tuple[float, ...], Floats]:
        """Return the size of a primitive geom that stands for a mesh, and its frame in that of the mesh."""
        content, mesh = self._content(own["mesh"], asset.inertia), self._mesh(own["mesh"])
        if content.amount <= 0.0 or mesh is None or kind not in _SIZES:
            return (), np.eye(4)
        (scale,) = self._values.numbers(own, "fitscale", 1, (1.0,))
        T = pose.from_xyz(content.centre)
        T[:3, :3] = content.principal_axes()
        if not self._compiler.fits_boxes:
            return fitted(kind, content, abs(scale)), T
        points = (mesh.vertices - content.centre) @ T[:3, :3]
        low, high = points.min(axis=0), points.max(axis=0)
        x, y, z = (abs(scale) * (high - low) / 2.0).tolist()
        wide = max(x, y)
        sizes = {"sphere": (max(wide, z),), "capsule": (wide, max(0.0, z - wide)), "cylinder": (wide, z)}
        return sizes.get(kind, (x, y, z)), T @ pose.from_xyz((low + high) / 2.0)


def _own_mesh(points: Floats, faces: Floats | None) -> TriangleMesh | None:
    """Return a mesh by its points and faces; without faces it is their hull."""
    if faces is None or not len(faces):
        found = hull.attempt_hull(points) if len(points) <= hull.MAX_POINTS else None
        return None if found is None else TriangleMesh(found.points, found.faces.astype(np.int64))
    index = faces.astype(np.int64)
    is_usable = len(points) > 0 and int(index.min()) >= 0 and int(index.max()) < len(points)
    return TriangleMesh(points, index) if is_usable else None


def _hulls(mesh: TriangleMesh | None, T: Floats) -> list[Shape]:
    """Return the convex hull of points that stand in the document itself."""
    found = None if mesh is None else hull.attempt_hull(mesh.vertices)
    return [] if found is None else [Shape("hull", (), T, points=found.points)]


def _shapes(kind: str, size: tuple[float, ...], T: Floats) -> list[Shape]:
    """Return the solids of a primitive geom; a capsule is a cylinder between two balls."""
    if not size:
        return []
    match kind:
        case "sphere":
            return [Shape("sphere", size, T)]
        case "box":
            return [Shape("box", tuple(2.0 * value for value in size), T)]
        case "cylinder" | "capsule":
            radius, half = size
            middle = [Shape("cylinder", (radius, 2.0 * half), T)] if half > 0.0 else []
            ends = [T @ pose.from_xyz([0.0, 0.0, sign * half]) for sign in (-1.0, 1.0)]
            return middle if kind == "cylinder" else [*middle, *(Shape("sphere", (radius,), end) for end in ends)]
        case _:
            return [Shape("hull", (), T, points=_ball_points() * size)]


def _ball_points() -> Floats:
    """Return corners of a polyhedron between which a ball of radius 1 has room."""
    turns = np.arange(ROUND) * (2.0 * np.pi / ROUND)
    heights = np.linspace(-1.0, 1.0, ROUND // 2 + 1)[1:-1] * (np.pi / 2.0)
    rings = [[np.cos(h) * np.cos(t), np.cos(h) * np.sin(t), np.sin(h)] for h in heights for t in turns]
    grown = 1.0 / np.cos(np.pi / ROUND) ** 2
    return np.asarray(np.array([[0.0, 0.0, -1.0], *rings, [0.0, 0.0, 1.0]]) * grown)
