import { describe, expect, it } from "vitest";
import { colourAt, facesOf, layersBelow, mostBranches } from "../src/panels/kinematics/volume";
import type { VolumeReport } from "../src/protocol.gen";

/** A block of 3 × 2 × 2 cubes with a side of 10 mm, whole. */
const BLOCK: VolumeReport = {
  low: [-10, 0, 0],
  cell: 10,
  shape: [3, 2, 2],
  reached: Array.from({ length: 12 }, (_, i) => i),
  manipulability: Array.from({ length: 12 }, (_, i) => i),
  most: 1,
  branches: Array.from({ length: 12 }, (_, i) => (i % 4) + 1),
};

describe("the surface of a workspace", () => {
  it("is the outside of a whole block, and has no section without a cut", () => {
    const { hull, section } = facesOf(BLOCK, null);
    expect(hull.cubes).toHaveLength(2 * (3 * 2 + 3 * 2 + 2 * 2));
    expect(section.cubes).toHaveLength(0);
    expect(hull.corners).toHaveLength(12 * hull.cubes.length);
  });

  it("has a section as large as the block where it is cut, whichever side is kept", () => {
    for (const keeps of ["below", "above"] as const) {
      const { hull, section } = facesOf(BLOCK, { axis: 0, at: 0, keeps });
      expect(section.cubes).toHaveLength(4);
      expect(new Set(section.corners.filter((_, i) => i % 3 === 0))).toEqual(new Set([0]));
      const kept = keeps === "below" ? 1 : 2;
      expect(hull.cubes).toHaveLength(4 + 2 * kept * 2 + 2 * kept * 2);
    }
  });

  it("is empty where the plane leaves nothing, and has no section where it leaves all", () => {
    expect(facesOf(BLOCK, { axis: 2, at: -50, keeps: "below" }).hull.cubes).toHaveLength(0);
    expect(facesOf(BLOCK, { axis: 2, at: -50, keeps: "above" }).section.cubes).toHaveLength(0);
  });

  it("looks outwards: the corners of a square turn about its normal", () => {
    const { corners, normals } = facesOf(BLOCK, null).hull;
    for (let face = 0; face < normals.length / 12; face += 1) {
      const point = (i: number): number[] => corners.slice(12 * face + 3 * i, 12 * face + 3 * i + 3);
      const [a, b, c] = [point(0), point(1), point(2)];
      const u = b.map((value, i) => value - (a[i] ?? 0));
      const v = c.map((value, i) => value - (b[i] ?? 0));
      const at = (row: number[], i: number): number => row[i % 3] ?? 0;
      const normal = [0, 1, 2].map((i) => at(u, i + 1) * at(v, i + 2) - at(u, i + 2) * at(v, i + 1));
      const along = normal.reduce((sum, value, i) => sum + value * (normals[12 * face + i] ?? 0), 0);
      expect(along).toBeGreaterThan(0);
    }
  });

  it("has holes where cubes are missing", () => {
    const { hull } = facesOf({ ...BLOCK, reached: [0, 11] }, null);
    expect(hull.cubes).toHaveLength(12);
  });

  it("counts layers between its edges", () => {
    expect([-100, -10, -1, 4, 6, 20, 100].map((at) => layersBelow(BLOCK, 0, at))).toEqual([
      0, 0, 1, 1, 2, 3, 3,
    ]);
  });
});

describe("colours of a workspace", () => {
  it("grow lighter all the way", () => {
    const light = [0, 0.25, 0.5, 0.75, 1].map((share) => {
      const [r, g, b] = colourAt(share);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    });
    expect(light).toEqual(light.toSorted((a, b) => a - b));
    expect(colourAt(-1)).toEqual(colourAt(0));
    expect(colourAt(2)).toEqual(colourAt(1));
  });

  it("know the largest number of branches", () => {
    expect(mostBranches(BLOCK)).toBe(4);
    expect(mostBranches({ ...BLOCK, branches: null })).toBe(0);
  });
});
