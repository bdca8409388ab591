"""Sensors as `armlab sense` is asked for them: `--imu tool@0,0,30:mpu-6050,rate=200 --encoders noise=0.01`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armlab.cli.arguments import number_of
from armlab.errors import InvalidInput
from armlab.messages import _

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.sensing.mount import Mount
    from armlab.sensing.sensor import Kind, SensorSpec

OF_ARMS = frozenset({"encoders", "torques", "wrench"})
"""Kinds that an arm has once, wherever one looks."""
IDEAL = "ideal"
MS_PER_S = 1000.0
NUMBERS = ("rate", "latency", "noise", "seed")
"""Hz, ms, in the unit of the reading on the screen, and a whole number."""


@dataclass(frozen=True, slots=True)
class AskedSensor:
    """One sensor as it was typed."""

    kind: Kind
    text: str
    where: str
    """LINK[@PLACE]; empty for those of an arm."""
    preset: str
    numbers: Mapping[str, float]

    @property
    def option(self) -> str:
        """The option by which it was asked for."""
        return f"--{self.kind}"


def asked_sensors(given: Mapping[Kind, Sequence[str] | None]) -> list[AskedSensor]:
    """Return the sensors that the options ask for, in their order.

    Raises:
        InvalidInput: if there is none, one is asked for twice, or a setting cannot be read.
    """
    asked = [_asked(kind, text) for kind, texts in given.items() for text in texts or ()]
    if not asked:
        raise InvalidInput("no_sensors", _("name at least one sensor: --imu LINK, --encoders ideal …"))
    places = [(one.kind, one.where.partition("@")[0]) for one in asked]
    for i, one in enumerate(asked):
        if places[i] in places[:i]:
            link = places[i][1] or one.text
            raise InvalidInput("sensor_twice", _("{option}: '{link}' is given twice"), option=one.option, link=link)
    return asked


def _asked(kind: Kind, text: str) -> AskedSensor:
    where, _colon, settings = ("", "", text) if kind in OF_ARMS else text.partition(":")
    preset, numbers = IDEAL, {}
    for part in filter(None, settings.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            preset = part
        elif name in NUMBERS:
            numbers[name] = number_of(value, f"--{kind}: {name}")
        else:
            raise _unknown_setting(kind, part)
    if kind != "imu" and preset != IDEAL:
        raise _unknown_setting(kind, preset)
    return AskedSensor(kind, text, where, preset, numbers)


def _unknown_setting(kind: Kind, text: str) -> InvalidInput:
    return InvalidInput(
        "sensor_setting",
        _("--{kind}: '{text}' is no setting; known: {known}"),
        kind=kind,
        text=text,
        known=[IDEAL, *(f"{name}=…" for name in NUMBERS)],
    )


def sensors_of(asked: Sequence[AskedSensor], arm: str, robot: Robot, rate: float, seed: int) -> list[SensorSpec]:
    """Return the sensors, on `robot` (called `arm` in its scene) or on bodies; each has a seed of its own.

    Raises:
        InvalidInput: if a place or setting cannot be.
    """
    from armlab.sensing.kinds import deviation_of, sensor_of
    from armlab.sensing.presets import preset

    made = []
    for i, one in enumerate(asked):
        late = one.numbers.get("latency")
        made.append(
            sensor_of(
                one.kind,
                _mount(one),
                one.numbers.get("rate", rate),
                robot=arm,
                model=preset(one.preset),
                delay=None if late is None else late / MS_PER_S,
                deviation=deviation_of(one.kind, one.numbers.get("noise", 0.0), robot),
                seed=int(one.numbers.get("seed", seed + i)),
            )
        )
    return made


def _mount(asked: AskedSensor) -> Mount:
    from armlab.geometry import pose
    from armlab.sensing.mount import Mount

    link, at, place = asked.where.partition("@")
    values = [number_of(part, asked.option) for part in place.split(",")] if at else [0.0] * 3
    if len(values) not in {3, 6}:
        raise InvalidInput(
            "sensor_place",
            _("{option}: '{text}' needs X,Y,Z or X,Y,Z,A,B,C (mm, degrees)"),
            option=asked.option,
            text=asked.text,
        )
    return Mount(link or "base", pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6]))
