import { describe, expect, it } from "vitest";
import { cutAt, groupOf } from "../src/panels/mathematics/check";
import { nextPlace } from "../src/panels/mathematics/formula";
import { hasMoved } from "../src/panels/mathematics/state";
import { pieces, placesIn, placesOf } from "../src/panels/mathematics/tex";

describe("text with formulas", () => {
  it("is cut at its dollars", () => {
    expect(pieces("Here $x$ is $2$.")).toEqual([
      { text: "Here ", isTex: false },
      { text: "x", isTex: true },
      { text: " is ", isTex: false },
      { text: "2", isTex: true },
      { text: ".", isTex: false },
    ]);
    expect(pieces("")).toEqual([]);
    expect(pieces(String.raw`Joint \$a\$ at $\theta$`)).toEqual([
      { text: "Joint $a$ at ", isTex: false },
      { text: String.raw`\theta`, isTex: true },
    ]);
  });

  it("names the links of its marks, each once", () => {
    const tex = String.raw`\htmlData{link=2 3}{c_{23}} + \htmlData{link=1}{L_{1}} \htmlData{link=2}{s_2}`;
    expect(placesIn(tex)).toEqual([1, 2, 3]);
    expect(placesOf("1 x -2")).toEqual([1]);
    expect(placesOf("")).toEqual([]);
  });
});

it("a trembling joint has not moved, a moved one has, and so has another arm", () => {
  expect(hasMoved([1, 2], [1.001, 2])).toBe(false);
  expect(hasMoved([1, 2], [1.01, 2])).toBe(true);
  expect(hasMoved([1, 2], [1])).toBe(true);
});

it("keys lead from symbol to symbol and stay inside", () => {
  expect([nextPlace(-1, true, 3), nextPlace(-1, false, 3), nextPlace(1, true, 3)]).toEqual([0, 2, 2]);
  expect([nextPlace(2, true, 3), nextPlace(0, false, 3)]).toEqual([2, 0]);
});

describe("a formula of the reader's own", () => {
  it("is cut at the word where it went wrong", () => {
    expect(cutAt("L1 * koz(t1)", 6)).toEqual(["L1 * ", "koz", "(t1)"]);
    expect(cutAt("L1 + ) 2", 6)).toEqual(["L1 + ", ")", " 2"]);
    expect(cutAt("θ1 + щ", 6)).toEqual(["θ1 + ", "щ", ""]);
    expect(cutAt("L1 +", 5)).toEqual(["L1 +", "", ""]);
  });

  it("is for the point, the orientation or the Jacobian", () => {
    expect(["x", "r12", "phi", "J23", "det"].map(groupOf)).toEqual([
      "point",
      "rotation",
      "rotation",
      "jacobian",
      "jacobian",
    ]);
  });
});
