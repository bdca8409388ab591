/** What a project changes about its arm. */

import { describe, expect, it, test } from "vitest";
import {
  along,
  cardAfter,
  changedParts,
  digitsOf,
  finenessOf,
  lengthsOf,
  misfits,
  shortTitle,
  spanOf,
  withBaseValue,
  withDhValue,
  withLimit,
} from "../src/panels/arm/changes";
import { byMaker, finding, soundOf } from "../src/panels/arm/finding";
import { plainArm } from "../src/project";
import type { ProjectOfArm } from "../src/project";
import type { JointRow, RobotRow } from "../src/protocol.gen";

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
    const project = { poses, plan: null } as unknown as ProjectOfArm;
    expect(misfits(project, joints)).toEqual({ poses: ["outside", "too short"], plan: false });
    const plan = { kind: "joint", points: [poses[0]?.q, poses[1]?.q] };
    expect(misfits({ ...project, poses: [], plan } as unknown as ProjectOfArm, joints).plan).toBe(true);
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

describe("lengths on sliders", () => {
  it("are those that are not nothing", () => {
    expect(lengthsOf(ROWS)).toEqual([
      { index: 0, column: "d", own: 420 },
      { index: 0, column: "a", own: 250 },
      { index: 1, column: "a", own: 250 },
    ]);
  });

  it("go from a quarter of the catalog's value to twice as much, and grow to the right below zero, too", () => {
    expect(spanOf(400, 400)).toEqual({ lower: 100, upper: 800 });
    expect(spanOf(-400, -500)).toEqual({ lower: 100, upper: 800 });
    expect(along(-400, -500)).toBe(500);
    expect(along(-400, along(-400, -500))).toBe(-500);
  });

  it("reach as far as a value that was typed", () => {
    expect(spanOf(400, 1000).upper).toBe(1000);
    expect(spanOf(-400, 20).lower).toBe(-20);
  });

  it("are set as finely as they are long", () => {
    expect([-400, 82.5, 3].map(finenessOf)).toEqual([0, 1, 2]);
  });
});

describe("finding arms", () => {
  const row = (name: string, title: string, maker: string, dof: number): RobotRow => ({
    name,
    title,
    maker,
    dof,
    reach: 900,
    wrist_reach: null,
    source: "made up",
  });
  const rows = [
    row("kuka-kr6", "KUKA KR 6", "KUKA", 6),
    row("lr-mate", "FANUC LR Mate 200iD", "FANUC", 6),
    row("tx70", "Stäubli TX70", "Stäubli", 6),
    row("panda", "Franka Emika Panda", "Franka Emika", 7),
  ];
  const found = (text: string): string[] =>
    finding(rows, text, ({ dof }) => `${dof} осей`).map(({ name }) => name);

  it("takes Cyrillic letters as they sound", () => {
    expect(found("кука")).toEqual(["kuka-kr6"]);
    expect(found("Фанук 200")).toEqual(["lr-mate"]);
    expect(found("staubli")).toEqual(["tx70"]);
    expect(soundOf("скара")).toBe(soundOf("SCARA"));
    expect(soundOf("універсал")).toBe(soundOf("Universal"));
  });

  it("takes words about a row, and numbers as they are", () => {
    expect(found("7 осей")).toEqual(["panda"]);
    expect(found("осей")).toHaveLength(4);
    expect(found("61")).toEqual([]);
    expect(found("")).toHaveLength(4);
  });
});

test("arms are set out by maker, makers in order", () => {
  const row = (name: string, maker: string): RobotRow => ({
    name,
    title: name,
    maker,
    dof: 6,
    reach: 905.6,
    wrist_reach: null,
    source: "made up",
  });
  const rows = [row("one", "Zeta"), row("two", "Alpha"), row("three", "Zeta")];
  expect(byMaker(rows).map(([maker, arms]) => [maker, arms.map(({ name }) => name)])).toEqual([
    ["Alpha", ["two"]],
    ["Zeta", ["one", "three"]],
  ]);
});
