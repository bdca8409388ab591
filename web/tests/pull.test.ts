/** Hands that pull sliders and hold keys: few changes, and one step of undo. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PAUSE_MS, PERIOD_MS, Pull, Streak } from "../src/panels/arm/pull";

type Made = readonly [value: number, coalesce: boolean];

/** A server that takes its time, and refuses what is above 100. */
function bench(answerMs: number) {
  const made: Made[] = [];
  const settled: (string | null)[] = [];
  let underWay = 0;
  let most = 0;
  const pull = new Pull<number>(
    async (value, coalesce) => {
      made.push([value, coalesce]);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, answerMs));
      underWay -= 1;
      return value > 100 ? "too long" : null;
    },
    (problem) => settled.push(problem),
  );
  return { pull, made, settled, most: () => most };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a pull", () => {
  it("makes the first change at once, then ten a second, one at a time, and always the newest", async () => {
    const { pull, made, settled, most } = bench(30);
    pull.hold();
    for (let value = 1; value <= 50; value += 1) {
      pull.to(value);
      await vi.advanceTimersByTimeAsync(10);
    }
    pull.release();
    await vi.runAllTimersAsync();
    expect(made[0]).toEqual([1, false]);
    expect(made.at(-1)).toEqual([50, true]);
    expect(made.length).toBeLessThanOrEqual(500 / PERIOD_MS + 2);
    expect(most()).toBe(1);
    expect(settled.at(-1)).toBeNull();
  });

  it("waits for a slow server instead of asking more often", async () => {
    const { pull, made, most } = bench(400);
    pull.hold();
    for (let value = 1; value <= 80; value += 1) {
      pull.to(value);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.runAllTimersAsync();
    expect(made.length).toBeLessThanOrEqual(4);
    expect(made.at(-1)).toEqual([80, true]);
    expect(most()).toBe(1);
  });

  it("is one step however long the hand rests, and the next one another", async () => {
    const { pull, made } = bench(5);
    pull.hold();
    pull.to(1);
    await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
    pull.to(2);
    await vi.runAllTimersAsync();
    pull.release();
    pull.hold();
    pull.to(3);
    await vi.runAllTimersAsync();
    expect(made).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
  });

  it("that is refused says so, and what follows does not join what was never done", async () => {
    const { pull, made, settled } = bench(5);
    pull.hold();
    pull.to(200);
    await vi.runAllTimersAsync();
    expect(settled).toEqual(["too long"]);
    pull.to(90);
    await vi.runAllTimersAsync();
    pull.to(95);
    await vi.runAllTimersAsync();
    expect(made).toEqual([
      [200, false],
      [90, false],
      [95, true],
    ]);
    expect(settled.at(-1)).toBeNull();
  });

  it("by keys goes on while the pauses are short", async () => {
    const { pull, made } = bench(5);
    for (const pause of [200, 200, PAUSE_MS + 1]) {
      pull.to(made.length);
      await vi.advanceTimersByTimeAsync(pause);
    }
    pull.to(9);
    await vi.runAllTimersAsync();
    expect(made.map(([, coalesce]) => coalesce)).toEqual([false, true, true, false]);
  });
});

describe("a streak of typed values", () => {
  it("goes on for the same label, soon after, until it is ended", async () => {
    const streak = new Streak();
    expect([streak.coalesces("X"), streak.coalesces("X"), streak.coalesces("Y")]).toEqual([
      false,
      true,
      false,
    ]);
    await vi.advanceTimersByTimeAsync(PAUSE_MS + 1);
    expect(streak.coalesces("Y")).toBe(false);
    streak.end();
    expect(streak.coalesces("Y")).toBe(false);
  });
});
