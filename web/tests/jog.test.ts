import { Matrix4, Quaternion, Vector3 } from "three";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DragSender } from "../src/panels/jog/drag-sender";
import { Holder } from "../src/panels/jog/holding";
import { capOf, moveOf } from "../src/panels/jog/keymap";
import { apart, replaced, sizeOf, stepped, STEPS, TOOL_AXES, twistOf } from "../src/panels/jog/steps";
import { curve, isHeld, jointShares, type Pad, toolShares } from "../src/panels/jog/sticks";
import { type Pose, type Quaternion as Wxyz, quaternionOfAbc } from "../src/poses";

const NONE: Wxyz = [1, 0, 0, 0];
const START: Pose = [400, -30, 550, 35, -50, 110];

/** The same pose by somebody else: three's matrices. */
function matrixOf(pose: Pose): Matrix4 {
  const turn = rotationOf(quaternionOfAbc(pose[3], pose[4], pose[5]));
  return turn.setPosition(pose[0], pose[1], pose[2]);
}

function rotationOf([w, x, y, z]: Wxyz): Matrix4 {
  return new Matrix4().makeRotationFromQuaternion(new Quaternion(x, y, z, w));
}

/** A step in a frame as a matrix: X Y Z along, A B C about z, y, x. */
function matrixOfStep(axis: number, by: number): Matrix4 {
  const along = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  const unit = along[axis < 3 ? axis : 5 - axis] ?? new Vector3();
  if (axis < 3) return new Matrix4().makeTranslation(unit.multiplyScalar(by));
  return new Matrix4().makeRotationAxis(unit, (by * Math.PI) / 180);
}

function expectSame(ours: Matrix4, theirs: Matrix4): void {
  ours.elements.forEach((value, i) => expect(value).toBeCloseTo(theirs.elements[i] ?? Number.NaN, 9));
}

describe("a step of the tool", () => {
  const AXES = TOOL_AXES.map((name, axis) => ({ name, axis }));

  test.each(AXES)("along or about $name of the tool is a move in the tool's own frame", ({ axis }) => {
    const expected = matrixOf(START).multiply(matrixOfStep(axis, 7));
    expectSame(matrixOf(stepped(START, axis, 7, "tool", NONE)), expected);
  });

  test.each(AXES)("along or about $name of a turned base leaves the tip where it turns", ({ axis }) => {
    const base = quaternionOfAbc(90, 20, 0);
    const move = rotationOf(base).multiply(matrixOfStep(axis, -12)).multiply(rotationOf(base).invert());
    const turn = new Matrix4().extractRotation(matrixOf(START));
    const expected = new Matrix4().extractRotation(move).multiply(turn);
    expected.setPosition(
      new Vector3(START[0], START[1], START[2]).add(new Vector3().setFromMatrixPosition(move)),
    );
    expectSame(matrixOf(stepped(START, axis, -12, "base", base)), expected);
  });

  test("and the same one back leads to where it began", () => {
    for (const { axis } of AXES) {
      const there = stepped(START, axis, 10, "tool", NONE);
      const [distance, turn] = apart(stepped(there, axis, -10, "tool", NONE), START);
      expect(distance).toBeLessThan(1e-9);
      expect(turn).toBeLessThan(1e-4);
    }
  });

  test("is as far as its size says", () => {
    const [distance, turn] = apart(stepped(START, 2, sizeOf("4", "mm"), "tool", NONE), START);
    expect([distance, turn]).toEqual([expect.closeTo(50, 9), expect.closeTo(0, 4)]);
    expect(apart(stepped(START, 3, sizeOf("3", "°"), "base", NONE), START)[1]).toBeCloseTo(5, 6);
    expect(STEPS.map((step) => sizeOf(step, "mm"))).toEqual([1, 0.1, 1, 10, 50]);
  });

  test("is jogged about z by A, about y by B and about x by C", () => {
    expect(twistOf([1, 2, 3, 4, 5, 6])).toEqual([1, 2, 3, 6, 5, 4]);
  });

  test("changes one number of a pose where one is typed", () => {
    expect(replaced(START, 4, 12)).toEqual([400, -30, 550, 35, 12, 110]);
  });
});

describe("the keys", () => {
  test("move the first joint by A and D, the second by S and W", () => {
    expect(["KeyA", "KeyD", "KeyS", "KeyW"].map((code) => moveOf(code, 6))).toEqual([
      { axis: 0, sign: -1 },
      { axis: 0, sign: 1 },
      { axis: 1, sign: -1 },
      { axis: 1, sign: 1 },
    ]);
  });

  test("of axes that the arm does not have do nothing", () => {
    expect(moveOf("KeyY", 6)).toBeNull();
    expect(moveOf("KeyY", 7)).toEqual({ axis: 6, sign: 1 });
    expect(moveOf("Space", 7)).toBeNull();
  });

  test("are shown as they are printed, else as Latin letters", () => {
    expect(capOf(0, -1, new Map())).toBe("A");
    expect(capOf(0, -1, new Map([["KeyA", "ф"]]))).toBe("Ф");
    expect(capOf(9, 1, new Map())).toBe("");
  });
});

describe("a stick", () => {
  const pad = (axes: number[], pressed: number[] = []): Pad => ({
    axes,
    buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: pressed.includes(i) })),
  });

  test("is dead in the middle, full at the end, odd and rising between", () => {
    expect([0, 0.12, -0.1, Number.NaN].map((x) => curve(x) + 0)).toEqual([0, 0, 0, 0]);
    expect([curve(1), curve(-1), curve(2)]).toEqual([1, -1, 1]);
    const rise = Array.from({ length: 40 }, (_, i) => curve(0.13 + i * 0.02));
    expect(rise.every((share, i) => i === 0 || share > (rise[i - 1] ?? 0))).toBe(true);
    expect(curve(-0.5)).toBe(-curve(0.5));
    expect(curve(0.5)).toBeLessThan(0.5);
  });

  test("needs a shoulder button", () => {
    expect(isHeld(pad([1, 1]))).toBe(false);
    expect(isHeld(pad([], [4]))).toBe(true);
    expect(isHeld(pad([], [5]))).toBe(true);
    expect(isHeld({ axes: [], buttons: [] })).toBe(false);
  });

  test("pushed forward moves the tool on along X, and to the left along Y", () => {
    expect(toolShares(pad([0, -1, 0, 0]))).toEqual([1, 0, 0, 0, 0, 0]);
    expect(toolShares(pad([-1, 0, 0, 0]))).toEqual([0, 1, 0, 0, 0, 0]);
    expect(toolShares(pad([0, 0, 0, -1], [12, 14]))).toEqual([0, 0, 1, 0, 1, -1]);
  });

  test("moves as many joints as there are", () => {
    expect(jointShares(pad([1, 0, 0, 0]), 3)).toEqual([1, -0, -0]);
    expect(jointShares(pad([0, 0, 1, 0], [1]), 8)).toEqual([0, -0, -0, 1, 0, 0, 1, 0]);
  });
});

describe("holding", () => {
  const beats: (readonly number[])[] = [];
  const stop = vi.fn();
  let isHeard = true;
  const make = (speed = 1): Holder =>
    new Holder({
      beat: (shares) => {
        beats.push(shares);
        return isHeard;
      },
      begin: () => undefined,
      stop,
      axes: () => 3,
      speed: () => speed,
    });

  beforeEach(() => {
    vi.useFakeTimers();
    beats.length = 0;
    stop.mockClear();
    isHeard = true;
  });
  afterEach(() => vi.useRealTimers());

  test("beats at once and 30 times a second, and stops once when let go", () => {
    const holder = make(0.5);
    holder.hold("KeyA", 1, -1);
    vi.advanceTimersByTime(1000);
    expect(beats.length).toBeGreaterThanOrEqual(30);
    expect(beats.at(-1)).toEqual([0, -0.5, 0]);
    holder.release("KeyA");
    holder.release("KeyA");
    const count = beats.length;
    vi.advanceTimersByTime(1000);
    expect(beats.length).toBe(count);
    expect(stop).toHaveBeenCalledTimes(1);
  });

  test("of two keys goes on with the one that is left", () => {
    const holder = make();
    holder.hold("a", 0, 1);
    holder.hold("b", 2, -1);
    expect(beats.at(-1)).toEqual([1, 0, -1]);
    holder.release("a");
    expect(beats.at(-1)).toEqual([0, 0, -1]);
    expect(stop).not.toHaveBeenCalled();
    holder.releaseAll();
    expect(stop).toHaveBeenCalledTimes(1);
  });

  test("both ends of an axis, or key and stick, never ask for more than all", () => {
    const holder = make();
    holder.hold("a", 0, 1);
    holder.hold("b", 0, -1);
    expect(holder.shares()).toEqual([0, 0, 0]);
    holder.release("b");
    holder.stick([1, 0.5, 0]);
    expect(holder.shares()).toEqual([1, 0.5, 0]);
  });

  test("ends for good when nobody hears it", () => {
    const holder = make();
    holder.hold("a", 0, 1);
    isHeard = false;
    vi.advanceTimersByTime(50);
    expect(holder.isHolding).toBe(false);
    isHeard = true;
    const count = beats.length;
    vi.advanceTimersByTime(1000);
    expect(beats.length).toBe(count);
  });

  test("a stick that was made to let go must be let go by its hand, too", () => {
    const holder = make();
    for (const end of [() => holder.releaseAll(), () => (isHeard = false)]) {
      expect(holder.stick([1, 0, 0])).toBe(true);
      end();
      vi.advanceTimersByTime(50);
      isHeard = true;
      const count = beats.length;
      expect(holder.stick([1, 0, 0])).toBe(false);
      vi.advanceTimersByTime(100);
      expect(beats.length).toBe(count);
      holder.stick(null);
    }
    expect(holder.stick([1, 0, 0])).toBe(true);
  });

  test("a stick that is not read any more ends", () => {
    const holder = make();
    holder.stick([1, 0, 0]);
    vi.advanceTimersByTime(1000);
    expect(holder.isHolding).toBe(false);
    expect(stop).toHaveBeenCalledTimes(1);
  });
});

describe("a drag", () => {
  const sent: number[] = [];
  const pose = (x: number): Pose => [x, 0, 0, 0, 0, 0];
  const make = (): DragSender => new DragSender((to) => sent.push(to[0]));

  beforeEach(() => {
    vi.useFakeTimers();
    sent.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  test("sends the newest pose after the answer, at most 30 a second", () => {
    const sender = make();
    for (const x of [1, 2, 3]) sender.ask(pose(x));
    expect(sent).toEqual([1]);
    sender.answered(1);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(34);
    expect(sent).toEqual([1, 3]);
  });

  test("does not wait for an answer for ever", () => {
    const sender = make();
    sender.ask(pose(1));
    sender.ask(pose(2));
    vi.advanceTimersByTime(50);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(11);
    expect(sent).toEqual([1, 2]);
  });

  test("that is over sends nothing more", () => {
    const sender = make();
    sender.ask(pose(1));
    sender.ask(pose(2));
    sender.forget();
    vi.advanceTimersByTime(500);
    expect(sent).toEqual([1]);
  });
});
