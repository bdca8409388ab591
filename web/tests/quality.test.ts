import { expect, test } from "vitest";
import { LEVELS, Quality, SOFTWARE_LEVEL } from "../src/viewer/quality";

/** Draw pictures, one every `interval` ms, from `start` on; return when the next would come. */
function draw(quality: Quality, count: number, interval: number, start = 0): number {
  for (let i = 0; i < count; i += 1) quality.note(start + i * interval);
  return start + count * interval;
}

test("slow pictures are drawn more coarsely, step by step, down to the last level", () => {
  const quality = new Quality();
  let now = draw(quality, 10, 60);
  expect(quality.index).toBe(1);
  now = draw(quality, 200, 60, now);
  expect(quality.index).toBe(LEVELS.length - 1);
  expect(quality.level.pixels).toBeLessThan(1);
  draw(quality, 400, 16, now);
  expect(quality.index).toBeLessThan(LEVELS.length - 1); // there is time to spare again
});

test("quick pictures, and pictures with pauses between them, stay as they are", () => {
  const quality = new Quality();
  draw(quality, 500, 16);
  expect(quality.index).toBe(0);
  draw(quality, 100, 1000, 1e6);
  expect(quality.index).toBe(0);
});

test("pictures that are neither slow nor quick change nothing", () => {
  const quality = new Quality();
  const now = draw(quality, 10, 60);
  draw(quality, 600, 30, now);
  expect(quality.index).toBe(1);
});

test("without a graphics card a motion begins coarse, is never finer, and comes back to that", () => {
  const quality = new Quality(true);
  let now = draw(quality, 600, 1000 / 30);
  expect(quality.index).toBe(SOFTWARE_LEVEL);
  now = draw(quality, 10, 60, now);
  expect(quality.index).toBe(SOFTWARE_LEVEL + 1);
  draw(quality, 600, 1000 / 30, now);
  expect(quality.index).toBe(SOFTWARE_LEVEL);
});
