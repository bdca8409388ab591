import { describe, expect, it } from "vitest";
import {
  bodyAt,
  boundsOf,
  duplicateOf,
  floorFor,
  freePlaces,
  isFree,
  newBody,
  poseOfBody,
  topAt,
  uniqueName,
} from "../src/panels/scene/bodies";

describe("bodies", () => {
  it("get names that nobody else has", () => {
    expect(uniqueName("box", [])).toBe("box");
    expect(uniqueName("box", ["box", "box-2"])).toBe("box-3");
    expect(uniqueName("box-2", ["box-2"])).toBe("box-3");
  });

  it("stand on what is below them", () => {
    const table = newBody("table", [500, 0], []);
    const box = newBody("box", [500, 0], [table]);
    expect(topAt([500, 0], [table])).toBe(300);
    expect(boundsOf(box)?.lower[2]).toBeCloseTo(300.5);
    expect(isFree(box, [table])).toBe(true);
  });

  it("turn their boxes with them", () => {
    const table = { ...newBody("table", [0, 0], []), rpy: [0, 0, 90] as const };
    expect(boundsOf(table)?.upper.map(Math.round)).toEqual([350, 250, 300]);
  });

  it("find places that are free", () => {
    const box = newBody("box", [420, 0], []);
    const places = freePlaces("box", [0, 0, 0, 0, 0, 0], 700, [box]);
    expect(places.length).toBeGreaterThan(5);
    expect(places.every((place) => isFree(newBody("box", place, [box]), [box]))).toBe(true);
    expect(isFree(duplicateOf(box, [box]), [box])).toBe(true);
  });

  it("need a floor only where nothing is fixed", () => {
    const box = newBody("box", [400, 0], []);
    expect(floorFor([box])?.name).toBe("floor");
    expect(floorFor([newBody("table", [0, 0], [])])).toBeNull();
  });

  it("keep their pose through the handles", () => {
    const box = { ...newBody("box", [400, 10], []), rpy: [10, 20, 30] as const };
    expect(bodyAt(box, poseOfBody(box))).toEqual(box);
  });
});
