"""Bring any arm: a file, a folder or a zip becomes a robot, with everything that was guessed or repaired on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armlab.catalog.assembly_schema import read_assembly
from armlab.catalog.robot_file import load_robot_file
from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.arm_unit import in_metres
from armlab.formats.assembly import ASSEMBLY_KINDS
from armlab.formats.chain import ChainEnds, arm_of, chains_of
from armlab.formats.description import Description, Format, Repairs
from armlab.formats.dh_read import read_dh
from armlab.formats.given import GivenFiles, given_files, xml_root_tag
from armlab.formats.link_meshes import OnMesh, with_meshes
from armlab.formats.mesh_units import MeshUnit
from armlab.formats.mjcf_read import describe_mjcf
from armlab.formats.safe_xml import parse_xml
from armlab.formats.sdf_read import sdf_as_urdf
from armlab.formats.snap import MOST_CHANGE, snapped
from armlab.formats.srdf_read import srdf_rules
from armlab.formats.urdf_read import MAX_BYTES, describe_urdf
from armlab.formats.xacro import expand_xacro, is_xacro
from armlab.messages import _
from armlab.model.dh import DhConvention
from armlab.model.finding import Finding
from armlab.model.pair_rule import PairRule
from armlab.model.robot import Robot

ARM_SUFFIXES = (".toml", ".urdf", ".xacro", ".sdf", ".mjcf", ".xml", ".csv", ".json")
"""Files that describe an arm; of several in a folder the first kind that there is."""
MOST_LISTED = 8
NOT_WORTH_SAYING = 1e-9
"""m: closed forms are found in spite of so much."""


class Health(NamedTuple):
    """How whole a description was, 0 to 100, and its parts, 0 to 20 each."""

    score: int
    geometry: float
    limits: float
    inertias: float
    meshes: float
    collision: float


@dataclass(frozen=True, slots=True, eq=False)
class ImportedArm:
    """An arm that was brought in: what it came from, which chains there were, what was repaired, how whole it was."""

    robot: Robot
    format: Format
    file: str
    chains: tuple[ChainEnds, ...]
    findings: tuple[Finding, ...]
    health: Health


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user may choose: the ends of the chain, the file in a folder, arguments of a template, the DH kind."""

    base: str | None = None
    tip: str | None = None
    file: str | None = None
    arguments: Mapping[str, str] | None = None
    convention: DhConvention | None = None
    joints: Path | None = None
    """The file that names the joints of a CAD assembly."""
    snap: bool = True
    """Whether right angles and zeros that are rounded in the file become exact, where that moves the tool by < 1 µm."""
    pairs: tuple[PairRule, ...] = ()
    """Parts of the arm that are not compared in collision checks, or are though the file excludes them."""
    mesh_unit: MeshUnit | None = None
    """Of mesh files that do not say theirs; without it, it is judged mesh by mesh."""


DEFAULTS = ImportOptions()


def import_arm(path: Path | str, options: ImportOptions = DEFAULTS, *, on_mesh: OnMesh | None = None) -> ImportedArm:
    """Return the arm of a file, folder or zip: TOML, URDF, xacro, SDF, MJCF, DH table; its content tells the kind.

    `on_mesh` is told before each mesh that is read.

    Raises:
        InvalidInput: if there is none, or it has no clear meaning; the message says where and why.
        NotSupported: if its kind is not one of those.
        UnknownName: if there is no link `base` or `tip`.
    """
    path = Path(path)
    with given_files(path) as files:
        file = _arm_file(path, files, options.file)
        arm = _snapped(_read(file, files, options, on_mesh), is_wanted=options.snap)
    return replace(arm, robot=arm.robot.with_pair_rules(options.pairs)) if options.pairs else arm


def _snapped(arm: ImportedArm, *, is_wanted: bool) -> ImportedArm:
    """Return the arm with rounded numbers made exact where that is wanted and changes next to nothing; say which."""
    found = snapped(arm.robot) if is_wanted and arm.format != "toml" else None
    if found is None or found.change < NOT_WORTH_SAYING:
        return arm
    repairs = Repairs(arm.file)
    is_taken = found.change <= MOST_CHANGE
    template = (
        _("rounded numbers were made exact ({numbers}); the tool moves by at most {change:.2g} mm at any pose")
        if is_taken
        else _(
            "rounded numbers stay as they are ({numbers}): exact ones could move the tool by up to {change:.2g} mm; "
            "where that leaves no closed form, inverse kinematics searches"
        )
    )
    code = "numbers_snapped" if is_taken else "numbers_rounded"
    repairs.add("note", None, code, template, numbers=list(found.numbers), change=1000.0 * found.change)
    arm = replace(arm, robot=found.robot) if is_taken else arm
    return replace(arm, findings=(*arm.findings, *repairs.findings))


def _arm_file(path: Path, files: GivenFiles, chosen: str | None) -> Path:
    """Return the one file that describes the arm."""
    if chosen is not None:
        found = files.inside(files.root / chosen) or files.find(chosen, files.root)
        if found is None:
            raise InvalidInput("file_missing", _("no such file")).within(chosen)
        return found
    if path.is_file() and path.resolve().parent.is_relative_to(files.root):
        return path.resolve()
    names = files.with_suffix(ARM_SUFFIXES)
    for suffix in ARM_SUFFIXES:
        fitting = [each for each in names if each.suffix.lower() == suffix and _is_arm(each)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InvalidInput(
                "import_several",
                _("{path}: {count} files may be the arm; choose one with --file: {files}"),
                path=path.name,
                count=len(fitting),
                files=[str(each.relative_to(files.root)) for each in fitting[:MOST_LISTED]],
            )
    raise InvalidInput("import_nothing", _("{path}: no file in it describes an arm"), path=path.name)


def _is_arm(file: Path) -> bool:
    """Tell whether a file in a folder can be an arm: package.xml, a joint list or a macro library are not."""
    head = file.read_bytes()[:4000] if file.is_file() else b""
    if file.suffix.lower() in {".urdf", ".xacro", ".xml", ".sdf", ".mjcf"}:
        is_library = (
            file.suffix.lower() == ".xacro"
            and b"<robot" in head
            and b" name=" not in head.split(b"<robot", 1)[1].split(b">", 1)[0]
        )
        return xml_root_tag(head) in {"robot", "mujoco", "sdf"} and not is_library
    return b"alpha" in head.lower() or b"[[joint]]" in head


def _read(file: Path, files: GivenFiles, options: ImportOptions, on_mesh: OnMesh | None) -> ImportedArm:
    if options.joints is not None:
        return _assembly(file, options)
    if file.suffix.lower() in ASSEMBLY_KINDS:
        raise InvalidInput(
            "import_joints_missing",
            _("{file}: a CAD file has no joints; name them in a file and give it with --joints"),
            file=file.name,
        )
    head = read_bounded(file, MAX_BYTES)[:20_000]
    tag = xml_root_tag(head)
    if tag is None and file.suffix.lower() in {".csv", ".json", ".toml"}:
        return _table(file, options, is_arm_file=file.suffix.lower() == ".toml" and b"schema" in head)
    if tag is None and file.suffix.lower() not in ARM_SUFFIXES:
        raise InvalidInput(
            "import_unknown",
            _("{file}: no description of an arm: neither URDF, xacro, SDF, MJCF, robot file (.toml) nor DH table"),
            file=file.name,
        )
    described = _with_srdf(describe_file(file, files, options), file, files)
    description = with_meshes(in_metres(described), files, file.parent, on_mesh, options.mesh_unit)
    arm = arm_of(description, base=options.base, tip=options.tip)
    health = _health(arm.robot, description, arm.findings, files, file.parent)
    return ImportedArm(arm.robot, description.format, file.name, chains_of(description), arm.findings, health)


def _with_srdf(description: Description, file: Path, files: GivenFiles) -> Description:
    """Return the description with what an SRDF file among the given ones says of its links."""
    if description.format not in {"urdf", "xacro"}:
        return description
    repairs = Repairs(description.file)
    rules = (*description.rules, *srdf_rules(description, file, files, repairs))
    return replace(description, rules=rules, findings=(*description.findings, *repairs.findings))


def _assembly(file: Path, options: ImportOptions) -> ImportedArm:
    assert options.joints is not None
    description = read_assembly(file, options.joints, Repairs(file.name))
    arm = arm_of(description, base=options.base, tip=options.tip)
    missing = sum(not link.shapes for link in arm.robot.links[1:])
    geometry = max(20.0 - 5.0 * sum(finding.code in _GEOMETRY for finding in arm.findings), 0.0)
    shown = _share(missing, len(arm.robot.links) - 1)
    health = _scored(geometry, 20.0, 0.0, shown, shown)
    return ImportedArm(arm.robot, "cad", file.name, chains_of(description), arm.findings, health)


def describe_file(file: Path, files: GivenFiles, options: ImportOptions) -> Description:
    """Return what a URDF, xacro, SDF or MJCF file says, before a chain is chosen and without its meshes."""
    repairs = Repairs(file.name)
    root = parse_xml(read_bounded(file, MAX_BYTES), repairs)
    if root.tag == "mujoco":
        return describe_mjcf(root, file, files, repairs)
    if root.tag == "sdf":
        return describe_urdf(sdf_as_urdf(root, repairs), repairs, file.stem, format="sdf")
    if is_xacro(root):
        made = expand_xacro(root, file, files, repairs, options.arguments)
        return describe_urdf(made, repairs, file.name.split(".")[0], format="xacro")
    return describe_urdf(root, repairs, file.stem)


def _table(file: Path, options: ImportOptions, *, is_arm_file: bool) -> ImportedArm:
    if options.base is not None or options.tip is not None:
        raise InvalidInput("one_chain", _("{file}: it has one chain; its ends cannot be chosen"), file=file.name)
    if is_arm_file:
        robot = load_robot_file(file)
        whole = Health(100, 20.0, 20.0, 20.0, 20.0, 20.0)
        return ImportedArm(robot, "toml", file.name, (_ends(robot),), (), whole)
    robot, repairs = read_dh(file, convention=options.convention)
    findings = tuple(repairs.findings)
    limits = _share(sum(finding.code.startswith("limits_") for finding in findings), robot.dof)
    health = _scored(20.0, limits, 0.0, 10.0, 10.0)
    return ImportedArm(robot, "dh", file.name, (_ends(robot),), findings, health)


def _ends(robot: Robot) -> ChainEnds:
    return ChainEnds(robot.links[0].name, robot.links[-1].name, robot.dof)


_GEOMETRY = frozenset(
    {
        "pivot_off_axis",
        "parts_unnamed",
        "link_apart",
        "second_parent",
        "mimic_ignored",
        "mimic_curved",
        "free_base",
        "tip_chosen",
    }
)


def _health(
    robot: Robot, description: Description, findings: tuple[Finding, ...], files: GivenFiles, near: Path
) -> Health:
    joints = {joint.name for joint in robot.joints}
    geometry = 20.0 - 5.0 * sum(finding.code in _GEOMETRY for finding in findings)
    bad = {finding.where.get("joint") for finding in findings if finding.code.startswith("limit")} & joints
    repaired = {
        finding.where.get("link")
        for finding in findings
        if finding.code in {"inertia_repaired", "mass_missing", "mass_negative", "mass_estimated"}
    }
    masses = [link.inertia.mass > 0.0 and link.name not in repaired for link in robot.links[1:]]
    uses = [use for link in description.links.values() for use in link.meshes]
    found = sum(files.find(use.file, near) is not None for use in uses)
    meshes = (
        20.0 * found / len(uses)
        if uses
        else 10.0 + 10.0 * any(link.seen or link.felt for link in description.links.values())
    )
    solid = {
        link.name
        for link in description.links.values()
        if link.seen or link.felt or any(use.is_collision for use in link.meshes)
    }
    felt = [link.name in solid for link in robot.links[1:]]
    return _scored(
        max(geometry, 0.0),
        _share(len(bad), robot.dof),
        20.0 * float(np.mean(masses)),
        meshes,
        20.0 * float(np.mean(felt)),
    )


def _share(bad: int, count: int) -> float:
    return 20.0 * max(0.0, 1.0 - bad / count)


def _scored(geometry: float, limits: float, inertias: float, meshes: float, collision: float) -> Health:
    score = round(geometry + limits + inertias + meshes + collision)
    return Health(score, *(round(part, 1) for part in (geometry, limits, inertias, meshes, collision)))
