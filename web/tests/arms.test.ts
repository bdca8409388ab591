import { describe, expect, test } from "vitest";
import { allArms, forArm, freeBase, freeName, withAdded, withName, withoutArm } from "../src/arms";
import { splitOthers } from "../src/live";
import { withBodyName } from "../src/panels/scene/acts";
import { plainArm } from "../src/project";
import type { Project } from "../src/protocol.gen";

const ONE: Project = {
  schema: 1,
  title: "Untitled",
  notes: "",
  arm: plainArm("ur5e"),
  structure: "articulation",
  bodies: [],
  poses: [],
  plan: null,
  scenario: null,
  sensors: [],
  program: null,
  real: null,
  frames: [],
  arm_name: "arm",
  arm_index: 0,
  others: [],
  stance: null,
};
const PROGRAM = { language: "gcode", text: "G0 X1", inputs: {} } as const;
const namesOf = (made: Project): string[] => allArms(made).map(({ name }) => name);

describe("arms of a project", () => {
  const two = withAdded(ONE, "second", plainArm("scara"));

  test("an added arm comes last, and the selected one stays so", () => {
    expect(namesOf(two)).toEqual(["arm", "second"]);
    expect(two.arm_name).toBe("arm");
  });

  test("what is changed for an arm is changed whether it is selected or not", () => {
    const own = forArm(two, "arm", (arm) => ({ ...arm, program: PROGRAM }));
    expect(own.program).toBe(PROGRAM);
    expect(own.others).toBe(two.others);
    const other = forArm(two, "second", (arm) => ({ ...arm, program: PROGRAM }));
    expect(other.program).toBeNull();
    expect(other.others[0]?.program).toBe(PROGRAM);
    expect(other.others[0]?.name).toBe("second");
  });

  test("an edit that changes nothing, or an arm that is gone, leaves the project as it is", () => {
    for (const name of ["arm", "second"]) expect(forArm(two, name, (arm) => arm)).toBe(two);
    expect(forArm(two, "third", (arm) => ({ ...arm, program: PROGRAM }))).toBe(two);
  });

  test("without the selected arm, the next one is selected with all that is its own", () => {
    const typed = forArm(two, "second", (arm) => ({ ...arm, program: PROGRAM }));
    const left = withoutArm(typed, "arm");
    expect([left.arm_name, left.arm.name, left.program, left.others]).toEqual([
      "second",
      "scara",
      PROGRAM,
      [],
    ]);
    expect(withoutArm(left, "second"), "the last one stays").toBe(left);
  });

  test("without another arm, the selected one stays", () => {
    const three = withAdded(two, "third", plainArm("planar3"));
    const left = withoutArm(three, "second");
    expect(namesOf(left)).toEqual(["arm", "third"]);
    expect(left.arm_name).toBe("arm");
  });

  test("a body has its new name for every arm", () => {
    const pose = {
      id: "p",
      name: "over the box",
      q: [0],
      on: { body: "box", pose: [0, 0, 0, 0, 0, 0] },
    } as const;
    const sensors = (["body", "link"] as const).map((on) => ({
      id: on,
      on,
      link: "box",
      preset: "ideal",
      pose: [0, 0, 0, 0, 0, 0] as const,
    }));
    const both = ["arm", "second"].reduce(
      (made, name) => forArm(made, name, (own) => ({ ...own, poses: [pose], sensors })),
      two,
    );
    const renamed = allArms(withBodyName(both, "box", "crate"));
    expect(renamed.map(({ poses }) => poses[0]?.on?.body)).toEqual(["crate", "crate"]);
    expect(renamed.map((arm) => arm.sensors.map(({ link }) => link))).toEqual([
      ["crate", "box"],
      ["crate", "box"],
    ]);
  });

  test("names change, and new ones are free", () => {
    expect(namesOf(withName(withName(two, "arm", "left"), "second", "right"))).toEqual(["left", "right"]);
    const name = freeName(ONE);
    expect(freeName(withAdded(ONE, name, plainArm("scara")))).not.toBe(name);
  });

  test("another arm stands apart from the others", () => {
    const [, y] = freeBase(two, 500, () => 1000);
    expect(y).toBeGreaterThan(1000);
  });
});

test("the numbers of other arms are told apart by the layout", () => {
  const layout = [
    { name: "a", joints: ["1"], links: ["base", "one", "tool"] },
    { name: "b", joints: ["1", "2"], links: ["base", "one", "two", "tool"] },
  ];
  const sizes = [8 + 21 + 4, 16 + 28 + 4];
  const numbers = Float32Array.from({ length: 81 }, (_, i) => i);
  const found = splitOthers(numbers, layout);
  expect([...(found.get("b")?.q ?? [])]).toEqual([33, 34]);
  expect([...(found.get("b")?.command ?? [])]).toEqual([41, 42]);
  expect(found.get("b")?.frames.length).toBe(28);
  expect(found.get("a")?.held).toBe(32);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(numbers.length);
  expect(splitOthers(numbers.subarray(1), layout).size).toBe(0);
});
