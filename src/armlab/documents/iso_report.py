"""The report on a test after ISO 9283: tables and plots."""

from __future__ import annotations

import numpy as np

from armlab.documents.blocks import Block, Heading, Picture, paragraph, table
from armlab.documents.pictures import png_of
from armlab.figures.calibration import draw_clouds, draw_path
from armlab.messages import tr
from armlab.reports.iso9283 import IsoPathReport, IsoReport

ENLARGED = tuple(float(step * 10**power) for power in range(5) for step in (1, 2, 5))
SHOWN_ERROR = 0.05
"""Errors of a path are drawn about this share of its size."""


def iso_blocks(report: IsoReport) -> list[Block]:
    """Return the report as a document."""
    said = tr(
        "{source}. Cube of {side:g} mm, cycles: {cycles}.", source=report.source, side=report.side, cycles=report.cycles
    )
    if report.speed:
        said = tr(
            "{source}. Cube of {side:g} mm, cycles: {cycles}, speed along paths {speed:g} mm/s.",
            source=report.source,
            side=report.side,
            cycles=report.cycles,
            speed=report.speed,
        )
    blocks: list[Block] = [
        Heading(1, tr("{robot}: ISO 9283", robot=report.robot)),
        paragraph(said),
        *_pose_blocks(report),
    ]
    if report.distance is not None:
        blocks += [
            Heading(2, tr("Distance accuracy and repeatability, P2 to P4")),
            table(
                (tr("AD, mm"), tr("RD, mm")),
                [(f"{report.distance.accuracy:.3f}", _known(report.distance.repeatability))],
                words=(),
            ),
        ]
    return [*blocks, *_path_blocks(report), *_other_blocks(report)]


def _known(value: float | None) -> str:
    return tr("not known") if value is None else f"{value:.4f}"


def _pose_blocks(report: IsoReport) -> list[Block]:
    if not report.poses:
        return []
    commanded = np.array([each.xyz for each in report.poses])
    attained = np.array([each.attained for each in report.poses])
    return [
        Heading(2, tr("Pose accuracy and repeatability")),
        table(
            (
                tr("pose"),
                tr("x, mm"),
                tr("y, mm"),
                tr("z, mm"),
                tr("AP, mm"),
                tr("RP, mm"),
                tr("AP turn, °"),
                tr("RP turn, °"),
            ),
            [
                (
                    each.name,
                    *(f"{value:.1f}" for value in each.xyz),
                    f"{each.accuracy:.3f}",
                    _known(each.repeatability),
                    _turn(each.turn),
                    _turn(each.turn_repeatability),
                )
                for each in report.poses
            ],
        ),
        Picture("poses", png_of(draw_clouds(commanded, attained)), tr("Attained positions about the commanded ones.")),
    ]


def _path_blocks(report: IsoReport) -> list[Block]:
    if not report.paths:
        return []
    rows = [(_path_name(each.name), f"{each.accuracy:.3f}", _known(each.repeatability)) for each in report.paths]
    blocks: list[Block] = [
        Heading(2, tr("Path accuracy and repeatability")),
        table((tr("path"), tr("AT, mm"), tr("RT, mm")), rows),
    ]
    for k, each in enumerate(report.paths):
        blocks.append(Picture(f"path-{k + 1}", png_of(_path_picture(each)), _path_name(each.name)))
    return blocks


def _other_blocks(report: IsoReport) -> list[Block]:
    blocks: list[Block] = []
    if report.corners is not None:
        blocks += [
            Heading(2, tr("Corners")),
            table(
                (tr("programmed blend, mm"), tr("CR, mm"), tr("CO, mm")),
                [tuple(f"{v:.3f}" for v in (report.corners.radius, report.corners.rounding, report.corners.overshoot))],
                words=(),
            ),
        ]
    if report.compliance is not None:
        rows = [
            (axis, *(f"{value:.6f}" for value in row))
            for axis, row in zip("xyz", report.compliance.matrix, strict=True)
        ]
        blocks += [
            Heading(2, tr("Static compliance at P1, mm/N, loads up to {load:.0f} N", load=report.compliance.load)),
            table((tr("displacement"), "Fx", "Fy", "Fz"), rows),
        ]
    return blocks


def _path_name(name: str) -> str:
    return {"line": tr("line P2 to P4"), "large circle": tr("large circle"), "small circle": tr("small circle")}[name]


def _path_picture(path: IsoPathReport):  # type: ignore[no-untyped-def]
    commanded, attained = np.array(path.commanded), np.array(path.attained)
    size = float(np.ptp(commanded, axis=0).max())
    factor = SHOWN_ERROR * size / max(path.accuracy, 1e-6)
    shown = max((each for each in ENLARGED if each <= factor), default=1.0)
    return draw_path(commanded, attained, shown)


def _turn(values: tuple[float, float, float] | None) -> str:
    return "–" if values is None else ", ".join(f"{value:.4f}" for value in values)
