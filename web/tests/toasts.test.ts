import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dismiss, hold, said, say, toasts } from "../src/toasts";

const shown = (): string[] => toasts.value.map((toast) => toast.text);

beforeEach(() => {
  vi.useFakeTimers();
  for (const { id } of toasts.value) dismiss(id);
  said.value = [];
});
afterEach(() => vi.useRealTimers());

test("a message goes away by itself, one with a button later", () => {
  say("info", "plain");
  say("info", "with a button", { actions: [{ text: "Undo", run: () => undefined }] });
  vi.advanceTimersByTime(7000);
  expect(shown()).toEqual(["with a button"]);
  vi.advanceTimersByTime(14_000);
  expect(shown()).toEqual([]);
});

test("no message goes while it is held, and each has its full time afterwards", () => {
  say("good", "first");
  vi.advanceTimersByTime(3000);
  hold(true);
  say("good", "second");
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(["first", "second"]);
  hold(false);
  vi.advanceTimersByTime(3900);
  expect(shown()).toEqual(["first", "second"]);
  vi.advanceTimersByTime(200);
  expect(shown()).toEqual([]);
});

test("the last held message that is dismissed does not hold those that come after it", () => {
  say("good", "first");
  hold(true);
  for (const { id } of toasts.value) dismiss(id);
  say("good", "second");
  vi.advanceTimersByTime(5000);
  expect(shown()).toEqual([]);
});

test("three are shown at most, one of each key, and the last twenty are kept", () => {
  for (let i = 1; i <= 30; i += 1) say("warn", `message ${i}`);
  expect(shown()).toEqual(["message 28", "message 29", "message 30"]);
  expect(said.value).toHaveLength(20);
  expect(said.value[0]?.text).toBe("message 30");
  say("warn", "message 29, newer", { key: "message 29" });
  expect(shown()).toEqual(["message 28", "message 30", "message 29, newer"]);
});

test("what is said again and again is kept once", () => {
  for (let i = 0; i < 5; i += 1) say("warn", "A joint has reached its limit.");
  expect(said.value).toHaveLength(1);
});
