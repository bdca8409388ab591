/** What a project changes about its arm. */

import { describe, expect, it } from "vitest";
import {
  cardAfter,
  changedParts,
  digitsOf,
  misfits,
  shortTitle,
  withBaseValue,
  withDhValue,
  withLimit,
} from "../src/panels/arm/changes";
import { plainArm } from "../src/project";
import type { JointRow, Project } from "../src/protocol.gen";

const ARM = plainArm("scara");
const ROWS = [
  { theta: 0, d: 420, a: 250, alpha: 0 },
  { theta: 0, d: 0, a: 250, alpha: 0 },
];
const RANGES = [
  { lower: -135, upper: 135 },
  { lower: -200, upper: 0 },
];

describe("changes of the arm", () => {
  it("keeps all other values, and no table at all where it is the catalog's again", () => {
    const longer = withDhValue(ARM, ROWS, 1, "a", 300);
    expect(longer.dh).toEqual([ROWS[0], { theta: 0, d: 0, a: 300, alpha: 0 }]);
    expect(withDhValue(longer, ROWS, 1, "a", 250)).toEqual(ARM);
    expect(ARM.dh).toBeNull();
  });

  it("does the same with limits", () => {
    const narrower = withLimit(ARM, RANGES, 0, "upper", 40);
    expect(narrower.limits).toEqual([{ lower: -135, upper: 40 }, RANGES[1]]);
    expect(withLimit(narrower, RANGES, 0, "upper", 135)).toEqual(ARM);
  });

  it("names the parts that are not the catalog's", () => {
    expect(changedParts(ARM)).toEqual([]);
    const raised = withBaseValue(withLimit(ARM, RANGES, 0, "lower", 0), 2, 300);
    expect(raised.base).toEqual([0, 0, 300, 0, 0, 0]);
    expect(changedParts({ ...raised, tool: "pen" })).toEqual(["limits", "tool", "base"]);
  });

  it("finds poses and plans outside the limits", () => {
    const joints = RANGES.map((range) => range as JointRow);
    const poses = [
      { id: "a", name: "inside", q: [135, -200] },
      { id: "b", name: "outside", q: [0, 1] },
      { id: "c", name: "too short", q: [0] },
    ];
    const project = { poses, plan: null } as unknown as Project;
    expect(misfits(project, joints)).toEqual({ poses: ["outside", "too short"], plan: false });
    const plan = { kind: "joint", points: [poses[0]?.q, poses[1]?.q] };
    expect(misfits({ ...project, poses: [], plan } as unknown as Project, joints).plan).toBe(true);
  });
});

describe("cards and numbers", () => {
  it("leads from card to card and stays inside", () => {
    expect(["ArrowRight", "ArrowDown", "End", "Home", "x"].map((key) => cardAfter(key, 1, 5, 2))).toEqual([
      2,
      3,
      4,
      0,
      null,
    ]);
    expect(cardAfter("ArrowUp", 1, 5, 2)).toBe(1);
    expect(cardAfter("ArrowDown", 4, 5, 2)).toBe(4);
  });

  it("shows as many decimals as a value has", () => {
    expect([250, -392.2, 89.16, 1 / 3].map(digitsOf)).toEqual([0, 1, 2, 3]);
  });

  it("says the maker once", () => {
    expect(shortTitle("KUKA KR 3 R540", "KUKA")).toBe("KR 3 R540");
    expect(shortTitle("Stanford arm", "Victor Scheinman")).toBe("Stanford arm");
  });
});
