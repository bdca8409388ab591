"""What the browser tests of the panel “Arm” share: a bench with an arm, values typed and pulled."""

from __future__ import annotations

from typing import Any

import numpy as np
from e2e.chromium import Workbench

Point = np.ndarray[Any, np.dtype[np.float64]]
KUKA = "kuka-kr6-r700"
LENGTHS = "Link lengths (Denavit–Hartenberg)"
NEAR = 0.05
"""mm: as near as a simulated arm stands to where it should."""
TOOL_NOW = "[...armlab.live.frames.slice(-7, -4)].map((value) => 1000 * value)"


def arm_of(bench: Workbench) -> dict[str, Any]:
    """Return the arm of the project."""
    found: dict[str, Any] = bench.tab.evaluate("() => armlab.project.value.arm")
    return found


def await_arm(bench: Workbench, condition: str, arg: Any = None) -> None:
    """Wait until the project's arm is as `condition` says."""
    bench.tab.wait_for_function(f"(arg) => {{ const arm = armlab.project.value.arm; return {condition}; }}", arg=arg)


def tool(bench: Workbench) -> Point:
    """Return where the simulated tool is, in mm."""
    return np.array(bench.tab.evaluate(f"() => {TOOL_NOW}"))


def await_tool(bench: Workbench, expected: Point) -> None:
    """Wait until the simulated tool is at `expected` (mm)."""
    bench.tab.wait_for_function(
        f"([expected, near]) => {TOOL_NOW}.every((value, i) => Math.abs(value - expected[i]) < near)",
        arg=[[float(value) for value in expected], NEAR],
    )


def moved(point: Point, x: float, y: float, z: float) -> Point:
    """Return another point, that far away."""
    return np.add(point, [x, y, z])


def scara_bench(bench: Workbench, *sections: str) -> Any:
    """Open the page with the SCARA, its panel in front and `sections` of it open; return the tab."""
    tab = bench.open("scara").tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    for section in sections:
        tab.get_by_role("button", name=section, exact=True).click()
    tab.wait_for_function("() => armlab.live.q.length === 4")
    return tab


def lengths_bench(bench: Workbench) -> Any:
    """Open the page with the SCARA stretched along x, its lengths on sliders; return the tab."""
    tab = scara_bench(bench, LENGTHS)
    go_to(bench, [0, 0, -50, 0])
    return tab


def go_to(bench: Workbench, q: list[float]) -> None:
    """Send the joints somewhere, and wait until the simulated arm stands there."""
    bench.tab.evaluate(
        "(q) => armlab.send({ type: 'move_joints', revision: armlab.doc.value.revision, targets: { ...q } })", q
    )
    bench.tab.wait_for_function(
        "(q) => q.every((value, i) => Math.abs(armlab.live.q[i] - value) < 0.001) && (armlab.live.flags & 1) === 0",
        arg=q,
    )


def undo_once(bench: Workbench, label: str) -> None:
    """Press undo, and wait until the server has done it."""
    revision = bench.tab.evaluate("() => armlab.doc.value.revision")
    bench.tab.get_by_role("button", name=f"Undo: {label}").click()
    bench.tab.wait_for_function("(old) => armlab.doc.value.revision > old", arg=revision)


def hold_arrow(*holds: tuple[Any, str, int]) -> None:
    """Hold an arrow key down in one field after the other, in no time: the server answers after that."""
    fields = [field.element_handle() for field, _key, _times in holds]
    fields[0].focus()
    fields[0].evaluate(
        """(_, [fields, holds]) => holds.forEach(([key, times], i) => {
            for (let n = 0; n < times; n++) fields[i].dispatchEvent(
                new KeyboardEvent('keydown', { key, repeat: n > 0, bubbles: true, cancelable: true }));
        })""",
        [fields, [[key, times] for _field, key, times in holds]],
    )


def pull(tab: Any, slider: Any, share: float) -> None:
    """Take hold of the thumb of a slider and pull it to a share of its way; it is not let go."""
    box = slider.bounding_box()
    at = slider.evaluate("(input) => (input.value - input.min) / (input.max - input.min)")
    inside = box["width"] - 16
    tab.mouse.move(box["x"] + 8 + at * inside, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 8 + share * inside, box["y"] + box["height"] / 2, steps=8)


def type_in(field: Any, text: str) -> None:
    """Type another text into a field, as a person does."""
    field.click()
    field.fill(text)
    field.press("Enter")
