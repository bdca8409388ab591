import { describe, expect, test } from "vitest";
import { freeBase, freeName, newArm, withAdded, withName, withoutArm } from "../src/arms";
import { splitOthers } from "../src/live";
import { withBodyName } from "../src/panels/scene/acts";
import { plainArm, seenBy, wholeOf } from "../src/project";
import type { Project } from "../src/protocol.gen";

const ONE: Project = {
  schema: 2,
  title: "Untitled",
  notes: "",
  arms: [newArm("arm", plainArm("ur5e"))],
  structure: "articulation",
  bodies: [],
  frames: [],
  positions: null,
};
const PROGRAM = { language: "gcode", text: "G0 X1", dialect: "linuxcnc", inputs: {} } as const;
const namesOf = (made: Project): string[] => made.arms.map(({ name }) => name);

describe("arms of a project", () => {
  const two = withAdded(ONE, "second", plainArm("scara"));

  test("an added arm comes last", () => {
    expect(namesOf(two)).toEqual(["arm", "second"]);
  });

  test.each([0, 1])("what is changed as arm %d sees it is changed for that arm alone", (index) => {
    const seen = seenBy(namesOf(two)[index] ?? "", two);
    if (seen === null) throw new Error("there is no such arm");
    expect(seen.arm).toBe(two.arms[index]?.arm);
    const made = wholeOf({ ...seen, title: "of all", program: PROGRAM });
    expect(made.title).toBe("of all");
    expect(made.arms[index]?.program).toBe(PROGRAM);
    expect(made.arms[1 - index]).toBe(two.arms[1 - index]);
    expect({ ...made, title: two.title, arms: two.arms }).toEqual(two);
  });

  test("there is nothing to see for an arm that is gone", () => {
    expect(seenBy("third", two)).toBeNull();
  });

  test("the last arm stays", () => {
    const left = withoutArm(two, "arm");
    expect(namesOf(left)).toEqual(["second"]);
    expect(withoutArm(left, "second")).toBe(left);
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
      kind: "imu" as const,
      rate: 60,
      latency: null,
      noise: 0,
      seed: null,
    }));
    const both = { ...two, arms: two.arms.map((own) => ({ ...own, poses: [pose], sensors })) };
    const renamed = withBodyName(both, "box", "crate").arms;
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
