import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Jaws } from "../src/viewer/jaws";

const PICTURE_MS = 20;
let now = 0;
let waiting: ((now: number) => void)[] = [];
const seen: number[] = [];
const arm = { closeJaws: (travelM: number): number => seen.push(travelM) };

beforeEach(() => {
  now = 0;
  waiting = [];
  seen.length = 0;
  vi.stubGlobal("performance", { now: () => now });
  vi.stubGlobal("requestAnimationFrame", (run: (now: number) => void) => waiting.push(run));
});
afterEach(() => vi.unstubAllGlobals());

/** Paint until nothing waits; return how long that takes, s. */
function paint(): number {
  const start = now;
  for (let i = 0; i < 1000 && waiting.length > 0; i++) {
    now += PICTURE_MS;
    for (const run of waiting.splice(0)) run(now);
  }
  return (now - start) / 1000;
}

function jaws(isCalm: boolean): Jaws {
  const made = new Jaws(
    () => undefined,
    isCalm,
    () => undefined,
  );
  made.changeArm(arm);
  seen.length = 0;
  return made;
}

describe("jaws", () => {
  test("close and open at 100 mm/s, picture by picture", () => {
    const made = jaws(false);
    made.close(0.02);
    expect(paint()).toBeCloseTo(0.2, 5);
    expect(seen.length).toBe(10);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(0.02);
    made.close(0);
    expect(paint()).toBeCloseTo(0.2, 5);
    expect(seen.at(-1)).toBe(0);
  });
  test("turn round when they are told to on their way", () => {
    const made = jaws(false);
    made.close(0.02);
    now += PICTURE_MS;
    for (const run of waiting.splice(0)) run(now);
    made.close(0);
    paint();
    expect(Math.max(...seen)).toBeLessThan(0.005);
    expect(seen.at(-1)).toBe(0);
  });
  test("are there at once for those who want little motion, and for another arm", () => {
    const made = jaws(true);
    made.close(0.01);
    expect(waiting).toEqual([]);
    expect(seen).toEqual([0.01]);
    made.changeArm(arm);
    expect(seen).toEqual([0.01, 0.01]);
  });
});
