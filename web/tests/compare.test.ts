import { describe, expect, it } from "vitest";
import {
  askable,
  columnsOf,
  FIRST,
  fromSlider,
  indexAt,
  SETTINGS,
  toSlider,
} from "../src/panels/compare/curves";
import type { StructureCurves } from "../src/protocol.gen";

const SUMMARY: StructureCurves["summary"] = {
  tracking_rms: 0,
  joint_rms: 0,
  gap: 0,
  energy_drift: null,
  us_per_step: 1,
  unknowns: 0,
  diverged: null,
  findings: [],
};

function curves(structure: string, t: readonly number[], gap: readonly number[]): StructureCurves {
  return {
    structure,
    summary: SUMMARY,
    t,
    gap,
    tool_error: gap,
    energy: structure === "hierarchy" ? null : gap,
    us_per_step: gap,
    frames: [],
  };
}

describe("the time of a comparison", () => {
  it("is that of the last row that is not after it", () => {
    const times = [0.1, 0.2, 0.3];
    expect([0, 0.1, 0.15, 0.2, 0.29, 0.3, 9].map((time) => indexAt(times, time))).toEqual([
      0, 0, 0, 1, 1, 2, 2,
    ]);
  });

  it("is common to all columns, and a run that is over has no values", () => {
    const [times, whole, lost] = columnsOf(
      [curves("hierarchy", [1, 2, 3], [0, 0, 0]), curves("joints", [1, 1.5], [5, 6])],
      "gap",
      true,
    );
    expect(times).toEqual([1, 2, 3]);
    expect(whole?.every((value) => (value ?? 0) > 0)).toBe(true); // zero has no place on a logarithmic axis
    expect(lost).toEqual([5, null, null]);
  });

  it("has no energy where there are no masses", () => {
    const [, energy] = columnsOf([curves("hierarchy", [1, 2], [0, 0])], "energy", false);
    expect(energy).toEqual([null, null]);
  });
});

describe("a slider of a factor", () => {
  it("says the value that it was put to", () => {
    for (const setting of SETTINGS)
      for (const value of [setting.lower, setting.upper, 10])
        expect(fromSlider(setting, toSlider(setting, value))).toBeCloseTo(value, 9);
  });
});

describe("what is asked", () => {
  it("names a joint that the arm has", () => {
    const sixth = { ...FIRST, joint: 6 };
    expect(askable(sixth, 6)).toBe(sixth);
    expect(askable(sixth, 2)).toEqual({ ...sixth, joint: 1 });
  });
});
