import { describe, expect, test } from "vitest";
import { clamp, parseNumber, rounded } from "../src/numbers";

describe("parseNumber", () => {
  test.each([
    ["12.5", 12.5],
    ["12,5", 12.5],
    [" -90 ", -90],
    ["−90,25", -90.25],
    ["+3", 3],
    [".5", 0.5],
    [",5", 0.5],
    ["7.", 7],
    ["1 250,5", 1250.5],
    ["1e5", 100000],
    ["-2,5E-3", -0.0025],
  ])("reads %j as %d", (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  test.each(["", " ", "abc", "1.2.3", "1,2.3", "1e", "e5", "1e999", "--1", "Infinity", "NaN", "0x10", "5°"])(
    "does not take %j for a number",
    (text) => {
      expect(parseNumber(text)).toBeNull();
    },
  );
});

test("clamp keeps a value inside its limits", () => {
  expect([-5, 0.5, 5].map((value) => clamp(value, 0, 1))).toEqual([0, 0.5, 1]);
});

test("rounded leaves no negative zero and no tail of digits", () => {
  expect(rounded(0.1 + 0.2, 2)).toBe(0.3);
  expect(Object.is(rounded(-0.001, 2), 0)).toBe(true);
});
