import { expect, test } from "vitest";
import { nextTab } from "../src/parts/tabs";
import { stepOf } from "../src/parts/slider";

test("arrows go round the tabs, Home and End to the ends", () => {
  expect(nextTab("ArrowRight", 2, 3)).toBe(0);
  expect(nextTab("ArrowLeft", 0, 3)).toBe(2);
  expect(nextTab("Home", 2, 3)).toBe(0);
  expect(nextTab("End", 0, 3)).toBe(2);
  expect(nextTab("a", 0, 3)).toBeNull();
});

test("keys move a slider by one, by a tenth with Shift, by ten with the page keys", () => {
  expect(stepOf("ArrowRight", false)).toBe(1);
  expect(stepOf("ArrowDown", true)).toBe(-0.1);
  expect(stepOf("PageDown", false)).toBe(-10);
  expect(stepOf("Home", false)).toBeNull();
});
