import { expect, test } from "vitest";
import { copyName, freeName, shortNames } from "../src/panels/poses/saved";
import type { SavedPose } from "../src/protocol.gen";

function named(...names: string[]): SavedPose[] {
  return names.map((name) => ({ id: name, name, q: [], on: null }));
}

test("a new pose gets the next name that is free", () => {
  const name = (n: number): string => `P${n}`;
  expect(freeName([], name)).toBe("P1");
  expect(freeName(named("P1", "P3"), name)).toBe("P4");
  expect(freeName(named("home", "away"), name)).toBe("P3");
});

test("a copy gets a number, and a copy of a copy the next one", () => {
  expect(copyName(named("Pick"), "Pick")).toBe("Pick (2)");
  expect(copyName(named("Pick", "Pick (2)"), "Pick (2)")).toBe("Pick (3)");
});

test("names of joints lose what all of them begin with, and nothing else", () => {
  expect(shortNames(["panda_joint1", "panda_joint2"])).toEqual(["joint1", "joint2"]);
  expect(shortNames(["arm_base_1", "arm_base_2", "arm_tip"])).toEqual(["base_1", "base_2", "tip"]);
  expect(shortNames(["A1", "A2"])).toEqual(["A1", "A2"]);
  expect(shortNames(["left_", "left_1"])).toEqual(["left_", "left_1"]);
  expect(shortNames(["only_one"])).toEqual(["only_one"]);
});
