"""CAD files made by hand: an assembly of boxes as STEP (ISO 10303-21, AP214) and as FBX text."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

STEP_HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('boxes'),'2;1');
FILE_NAME('boxes.step','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""


class Box(NamedTuple):
    """A box by its size and the place of its centre, mm, z up; `turn` (degrees) about z."""

    size: tuple[float, float, float]
    centre: tuple[float, float, float]
    turn: float = 0.0


class _Step:
    """Numbers the entities of a STEP file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def point(self, xyz: Iterable[float]) -> str:
        return self.add(f"CARTESIAN_POINT('',({','.join(f'{float(value)!r}' for value in xyz)}))")

    def direction(self, xyz: Iterable[float]) -> str:
        return self.add(f"DIRECTION('',({','.join(f'{float(value)!r}' for value in xyz)}))")

    def axes(self, at: Sequence[float], z: Sequence[float], x: Sequence[float]) -> str:
        return self.add(f"AXIS2_PLACEMENT_3D('',{self.point(at)},{self.direction(z)},{self.direction(x)})")


def step_text(boxes: dict[str, Box]) -> str:
    """Return an assembly of boxes: each a product of its own with an exact boundary, placed by an occurrence."""
    step = _Step()
    context = step.add("APPLICATION_CONTEXT('automotive design')")
    step.add(f"APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,{context})")
    metric = [
        step.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))"),
        step.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))"),
        step.add("(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT())"),
    ]
    fine = step.add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-7),{metric[0]},'distance_accuracy_value','')")
    space = step.add(
        f"(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({fine})) "
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({','.join(metric)})) REPRESENTATION_CONTEXT('',''))"
    )
    origin = step.axes((0, 0, 0), (0, 0, 1), (1, 0, 0))
    places = [step.axes(box.centre, (0, 0, 1), _x_axis(box.turn)) for box in boxes.values()]
    whole = step.add(f"SHAPE_REPRESENTATION('',({','.join([origin, *places])}),{space})")
    assembly = _product(step, "assembly", whole, context)
    for (name, box), place in zip(boxes.items(), places, strict=True):
        own = step.axes((0, 0, 0), (0, 0, 1), (1, 0, 0))
        brep = _solid_box(step, name, np.array(box.size) / 2.0)
        shape = step.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({own},{brep}),{space})")
        part = _product(step, name, shape, context)
        use = step.add(f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{assembly},{part},$)")
        used = step.add(f"PRODUCT_DEFINITION_SHAPE('Placement','',{use})")
        moved = step.add(f"ITEM_DEFINED_TRANSFORMATION('','',{own},{place})")
        relation = step.add(
            f"(REPRESENTATION_RELATIONSHIP('','',{shape},{whole}) "
            f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({moved}) SHAPE_REPRESENTATION_RELATIONSHIP())"
        )
        step.add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{used})")
    return STEP_HEAD + "\n".join(step.lines) + "\nENDSEC;\nEND-ISO-10303-21;\n"


def _x_axis(turn: float) -> tuple[float, float, float]:
    angle = np.radians(turn)
    return float(np.cos(angle)), float(np.sin(angle)), 0.0


def _product(step: _Step, name: str, shape: str, context: str) -> str:
    """Add a product with a shape; return its definition."""
    inside = step.add(f"PRODUCT_CONTEXT('',{context},'mechanical')")
    product = step.add(f"PRODUCT('{name}','{name}','',({inside}))")
    version = step.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    stage = step.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{context},'design')")
    definition = step.add(f"PRODUCT_DEFINITION('design','',{version},{stage})")
    shown = step.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    step.add(f"SHAPE_DEFINITION_REPRESENTATION({shown},{shape})")
    return definition


def _solid_box(step: _Step, name: str, half: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """Add a box about the origin: corners, edges on lines, faces on planes."""
    signs = list(itertools.product((-1, 1), repeat=3))
    corners = {s: step.add(f"VERTEX_POINT('',{step.point(half * s)})") for s in signs}
    edges: dict[tuple[tuple[int, ...], tuple[int, ...]], str] = {}
    for one, other in itertools.combinations(signs, 2):
        along = np.array(other) - np.array(one)
        if np.abs(along).sum() == 2:
            vector = step.add(f"VECTOR('',{step.direction(along / 2)},1.)")
            line = step.add(f"LINE('',{step.point(half * one)},{vector})")
            edges[one, other] = step.add(f"EDGE_CURVE('',{corners[one]},{corners[other]},{line},.T.)")
    faces = []
    for axis, side in itertools.product(range(3), (-1, 1)):
        normal, u = np.eye(3)[axis] * side, np.eye(3)[(axis + 1) % 3]
        v = np.cross(normal, u)
        ring = [tuple(int(x) for x in normal + a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        loop = []
        for one, other in itertools.pairwise([*ring, ring[0]]):
            is_forward = (one, other) in edges
            edge = edges[one, other] if is_forward else edges[other, one]
            loop.append(step.add(f"ORIENTED_EDGE('',*,*,{edge},{'.T.' if is_forward else '.F.'})"))
        around = step.add(f"EDGE_LOOP('',({','.join(loop)}))")
        bound = step.add(f"FACE_OUTER_BOUND('',{around},.T.)")
        plane = step.add(f"PLANE('',{step.axes(half * normal, normal, u)})")
        faces.append(step.add(f"ADVANCED_FACE('',({bound}),{plane},.T.)"))
    shell = step.add(f"CLOSED_SHELL('',({','.join(faces)}))")
    return step.add(f"MANIFOLD_SOLID_BREP('{name}',{shell})")


FBX_HEAD = """; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
	}
}
"""


def fbx_text(boxes: dict[str, Box]) -> str:
    """Return the same as FBX text: centimetres, y up, one mesh of six quadrangles for each box."""
    objects, links = [], []
    for i, (name, box) in enumerate(boxes.items()):
        x, y, z = (float(value) / 20.0 for value in box.size)  # half, cm
        points = [(sx * x, sz * z, -sy * y) for sx, sy, sz in itertools.product((-1, 1), repeat=3)]
        quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        indices = [corner if k < 3 else -corner - 1 for quad in quads for k, corner in enumerate(quad)]
        x, y, z = (float(value) / 10.0 for value in box.centre)
        flat = ",".join(repr(float(value)) for point in points for value in point)
        objects += [
            f'\tGeometry: {1000 + i}, "Geometry::{name}", "Mesh" {{',
            f"\t\tVertices: *{3 * len(points)} {{\n\t\t\ta: {flat}\n\t\t}}",
            f"\t\tPolygonVertexIndex: *{len(indices)} {{\n\t\t\ta: {','.join(map(str, indices))}\n\t\t}}\n\t}}",
            f'\tModel: {2000 + i}, "Model::{name}", "Mesh" {{\n\t\tVersion: 232\n\t\tProperties70:  {{',
            f'\t\t\tP: "Lcl Translation", "Lcl Translation", "", "A",{x!r},{z!r},{-y!r}',
            f'\t\t\tP: "Lcl Rotation", "Lcl Rotation", "", "A",0,{float(box.turn)!r},0\n\t\t}}\n\t}}',
        ]
        links.append(f'\tC: "OO",{1000 + i},{2000 + i}\n\tC: "OO",{2000 + i},0\n')
    return f"{FBX_HEAD}Objects:  {{\n{chr(10).join(objects)}\n}}\nConnections:  {{\n{''.join(links)}}}\n"
