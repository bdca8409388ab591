import { beforeEach, expect, test } from "vitest";
import { type Held, frozen, hold, range, run, zoomAbout, zoomTo } from "../src/panels/plots/state";

const NONE = new Float64Array(0);
const THEN: Held = { arm: "then", source: { times: () => NONE, column: () => NONE } };

beforeEach(run);

test("a stretch of time is held as it was when somebody began to draw it", () => {
  zoomTo([-6, -4], THEN);
  expect(frozen.value).toBe(THEN);
  expect(range.value).toEqual([-6, -4]);
  zoomTo([-5, -4.5]);
  expect(frozen.value).toBe(THEN);
});

test("the wheel holds the plots, and does nothing at the whole minute", () => {
  expect(zoomAbout(0, 0.5)).toBe(true);
  expect(frozen.value).not.toBeNull();
  expect(range.value).toEqual([-7.5, 0]);
  expect(zoomAbout(0, 100)).toBe(true);
  expect(range.value).toEqual([-60, 0]);
  expect(zoomAbout(-30, 2)).toBe(false);
});

test("what is held stays until the plots run again", () => {
  hold(THEN);
  hold();
  expect(frozen.value).toBe(THEN);
  run();
  expect(frozen.value).toBeNull();
});
