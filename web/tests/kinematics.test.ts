import { describe, expect, it } from "vitest";
import {
  compact,
  familiesOf,
  flatFrames,
  logScale,
  matrixAt,
  posturesOf,
  rotationOf,
  shareOf,
  shareOfBar,
  spread,
  travelOf,
} from "../src/panels/kinematics/numbers";
import { branchWords, powerOfTen, scientific, statusTurnText } from "../src/panels/kinematics/words";

describe("matrices", () => {
  it("a quarter turn about z takes x to y", () => {
    const half = Math.SQRT1_2;
    const [first, second] = rotationOf([half, 0, 0, half]);
    expect(first?.[0]).toBeCloseTo(0);
    expect(second?.[0]).toBeCloseTo(1);
  });

  it("has millimetres in its last column, and nothing where there is no frame", () => {
    const frames = flatFrames([{ name: "base", xyz: [10, 20, 30], quaternion: [1, 0, 0, 0] }]);
    expect(frames).toEqual([0.01, 0.02, 0.03, 1, 0, 0, 0]);
    expect(matrixAt(frames, 0)?.map((row) => row[3])).toEqual([10, 20, 30, 1]);
    expect(matrixAt(frames, 1)).toBeNull();
  });
});

describe("families of solutions", () => {
  const free = (value: number, upper: number, step = 5) => [{ joint: "A3", value, lower: 0, upper, step }];
  const member = (name: string, value: number, upper = 90, branch = "up") => ({
    name,
    branch,
    free: free(value, upper),
  });

  it("are samples of one branch over one interval, in the order of the free joint", () => {
    const exact = { name: "exact", branch: "up", free: free(3, 9, 0) };
    const single = { name: "single", branch: "up", free: null };
    const all = [member("c", 30), single, member("a", 10), member("other", 5, 40), exact, member("b", 20)];
    const { alone, families } = familiesOf(all);
    expect(alone.map(({ name }) => name)).toEqual(["single", "exact"]);
    expect(families.map((one) => one.map(({ name }) => name))).toEqual([["a", "b", "c"], ["other"]]);
  });

  it("are thinned evenly, with both ends", () => {
    expect(spread([0, 1, 2, 3, 4, 5, 6], 4)).toEqual([0, 2, 4, 6]);
    expect(spread([1, 2], 4)).toEqual([1, 2]);
  });
});

describe("solutions", () => {
  it("the longest travel is that of the joint that turns farthest", () => {
    expect(travelOf([0, -90, 10], [5, 0, 10])).toEqual({ joint: 1, size: 90 });
  });

  it("full turns of a turning joint are the same posture, and the shortest way comes first", () => {
    const solutions = [{ q: [200, 0] }, { q: [10, 360] }, { q: [-160, 0] }];
    const found = posturesOf(solutions, [0, 0], [true, false]);
    expect(found.map(({ solution }) => solution.q[0])).toEqual([-160, 10]);
    expect(found[0]?.turned).toEqual([{ q: [200, 0] }]);
  });
});

describe("scales", () => {
  it("maps the least power of ten to one end and the greatest to the other", () => {
    const { place, ticks } = logScale([1000, 0.001], 100, 0);
    expect(place(1000)).toBeCloseTo(0);
    expect(place(0.001)).toBeCloseTo(100);
    expect(place(0)).toBe(100);
    expect(ticks[0]).toBe(-3);
  });

  it("stays finite for one value and for none", () => {
    expect(Number.isFinite(logScale([5], 0, 1).place(5))).toBe(true);
    expect(Number.isFinite(logScale([], 0, 1).place(1))).toBe(true);
  });
});

describe("words", () => {
  it("writes long numbers with a power of ten", () => {
    expect(compact(0)).toEqual({ mantissa: 0, exponent: 0 });
    expect(scientific(0.00001)).toBe("1.00·10⁻⁵");
    expect(scientific(47.3681)).toBe("47.368");
    expect(powerOfTen(12)).toBe("10¹²");
  });

  it("names branches, and leaves what it does not know", () => {
    expect(branchWords("shoulder front, elbow up, wrist no-flip")).toBe(
      "Shoulder front, elbow up, wrist not flipped",
    );
    expect(branchWords("tail left")).toBe("Tail left");
  });
});

describe("the singularity meter", () => {
  it("is full where all directions are alike, and empty where one is lost", () => {
    expect(shareOfBar(1)).toBe(1);
    expect(shareOfBar(null)).toBe(0);
    expect(shareOfBar(1e9)).toBe(0);
    expect(shareOfBar(10)).toBeGreaterThan(shareOfBar(100));
  });

  it("writes KUKA's status and turn with their bits", () => {
    expect(statusTurnText({ status: 2, turn: 10 })).toBe("S 2 (B010) · T 10 (B001010)");
  });
});

describe("the map of starts", () => {
  it("has a place for a start inside its edges only", () => {
    const centres = [5, 15, 25, 35];
    expect(shareOf(0, centres)).toBe(0);
    expect(shareOf(20, centres)).toBeCloseTo(0.5);
    expect(shareOf(40, centres)).toBe(1);
    expect(shareOf(41, centres)).toBeNull();
    expect(shareOf(undefined, centres)).toBeNull();
  });
});
