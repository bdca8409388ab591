import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { jogJoints } from "../src/acts";
import { beginPress, halt, halted, hearStop, hearWelcome, unheard, untilHalted } from "../src/stopping";
import type { Stopped, Welcome } from "../src/protocol.gen";
import { useWire, type Wire } from "../src/wire";

const sent: Record<string, unknown>[] = [];
let isHeard: boolean;
const stopped = (stops: number, by: Stopped["by"]): Stopped => ({ type: "stopped", stops, arm: null, by });

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  isHeard = true;
  const send = (command: unknown): boolean => isHeard && sent.push(command as Record<string, unknown>) > 0;
  useWire({ send } as unknown as Wire);
  hearWelcome({ type: "welcome", session: "s", version: "1", pages: 1, page: 1, stops: 2 } satisfies Welcome);
});
afterEach(() => vi.useRealTimers());

test("what a press sends says how many stops were known when it began", () => {
  beginPress();
  jogJoints([1]);
  hearStop(stopped(3, "other_page"));
  jogJoints([1]);
  beginPress();
  jogJoints([1]);
  expect(sent.map(({ stops }) => stops)).toEqual([2, 2, 3]);
});

test("a stop of any page ends what is held here, and a motion that waits is not wanted any more", () => {
  const before = halted.value;
  const isWanted = untilHalted();
  hearStop(stopped(3, "other_page"));
  expect(halted.value).toBe(before + 1);
  expect(isWanted()).toBe(false);
  halt();
  expect(halted.value).toBe(before + 2);
});

test("a stop that cannot be sent is told at once, and one without an answer after half a second", () => {
  isHeard = false;
  halt();
  expect(unheard.value).toContain("not sent");
  isHeard = true;
  halt();
  hearStop(stopped(3, "this_page"));
  expect(unheard.value).toBeNull();
  vi.advanceTimersByTime(1000);
  expect(unheard.value).toBeNull();
  halt();
  vi.advanceTimersByTime(400);
  expect(unheard.value).toBeNull();
  vi.advanceTimersByTime(200);
  expect(unheard.value).toContain("may not have been received");
});
