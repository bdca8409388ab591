import { describe, expect, test } from "vitest";
import { intentAfter, TouchIntent } from "../src/parts/touch-intent";

const at = (clientX: number, clientY: number, pointerType = "touch"): PointerEvent =>
  ({ pointerId: 1, pointerType, clientX, clientY }) as PointerEvent;

describe("a finger on a slider", () => {
  test.each([
    [3, 5, "undecided"],
    [12, 4, "slide"],
    [-12, 4, "slide"],
    [4, 12, "scroll"],
    [10, -10, "scroll"],
  ] as const)("that moved by (%d, %d) px means: %s", (x, y, intent) => {
    expect(intentAfter("undecided", x, y)).toBe(intent);
  });

  test("is not asked again once it is clear what it means", () => {
    expect(intentAfter("scroll", 90, 0)).toBe("scroll");
    expect(intentAfter("slide", 0, 90)).toBe("slide");
  });

  test("moves nothing before it slides; a mouse always does", () => {
    const touch = new TouchIntent();
    touch.onDown(at(0, 0, "mouse"));
    expect(touch.isMeant).toBe(true);
    touch.onDown(at(0, 0));
    expect(touch.isMeant).toBe(false);
    touch.onMove(at(2, 30));
    expect(touch.isMeant).toBe(false);
    touch.onMove(at(60, 30));
    expect(touch.isMeant).toBe(false);
    expect(touch.onUp(at(60, 30))).toBeNull();
    expect(touch.isMeant).toBe(true);
    touch.onDown(at(0, 0));
    touch.onMove(at(20, 3));
    expect(touch.isMeant).toBe(true);
  });

  test("that only taps means the value under it", () => {
    const touch = new TouchIntent();
    touch.onDown(at(0, 0));
    touch.onValue(42);
    touch.onMove(at(1, 2));
    expect(touch.onUp(at(1, 2))).toBe(42);
    touch.onDown(at(0, 0));
    touch.onValue(42);
    touch.onCancel(at(0, 9));
    expect(touch.onUp(at(0, 9))).toBeNull();
  });

  test("that swipes so quickly that the slider speaks only once means the value under it", () => {
    const touch = new TouchIntent();
    touch.onDown(at(0, 0));
    expect(touch.onValue(42)).toBe(false);
    touch.onMove(at(60, 3));
    expect(touch.onUp(at(60, 3))).toBe(42);
    touch.onDown(at(0, 0));
    touch.onMove(at(60, 3));
    expect(touch.onValue(50)).toBe(true);
    expect(touch.onUp(at(60, 3))).toBeNull();
  });
});
