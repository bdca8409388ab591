import { describe, expect, test } from "vitest";
import { History } from "../src/history";
import { decodeState, Flag, is, live, takeState, tick } from "../src/live";
import { STATE_VERSION } from "../src/protocol.gen";

const AXES = 2;
const BODIES = 1;

/** Write a state byte by byte, as src/armlab/cell/wire.py says. */
function sample(
  time = 12.5,
  flags: number = Flag.moving | Flag.recording,
  kind = 1,
  version = STATE_VERSION as number,
): ArrayBuffer {
  const floats = 8 * AXES + 7 * (AXES + 2 + BODIES) + 6;
  const buffer = new ArrayBuffer(24 + 4 * floats);
  const view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint8(1, version);
  view.setUint8(2, AXES);
  view.setUint8(3, BODIES);
  view.setUint32(4, 4_000_000_000, true);
  view.setFloat64(8, time, true);
  view.setUint16(16, flags, true);
  view.setUint16(18, AXES + 2, true);
  view.setUint32(20, 7, true);
  for (let i = 0; i < floats; i += 1) view.setFloat32(24 + 4 * i, i + 0.5, true);
  return buffer;
}

describe("a state", () => {
  test("is read field by field, in the order of the wire", () => {
    const state = decodeState(sample());
    expect(state).not.toBeNull();
    if (state === null) return;
    expect([state.sequence, state.time, state.flags, state.revision]).toEqual([4_000_000_000, 12.5, 65, 7]);
    expect([...state.q]).toEqual([0.5, 1.5]);
    expect([...state.qd]).toEqual([2.5, 3.5]);
    expect([...state.qdd]).toEqual([4.5, 5.5]);
    expect([...state.tau]).toEqual([6.5, 7.5]);
    expect([...state.command]).toEqual([8.5, 9.5]);
    expect([...state.commandQd]).toEqual([10.5, 11.5]);
    expect([...state.commandQdd]).toEqual([12.5, 13.5]);
    expect([...state.commandTau]).toEqual([14.5, 15.5]);
    expect(state.frames).toHaveLength(28);
    expect([state.frames[0], state.frames[27]]).toEqual([16.5, 43.5]);
    expect([...state.bodies]).toEqual([44.5, 45.5, 46.5, 47.5, 48.5, 49.5, 50.5]);
    expect([state.gap, state.kinetic, state.potential]).toEqual([51.5, 52.5, 53.5]);
    expect([state.playerTime, state.rate, state.lag]).toEqual([54.5, 55.5, 56.5]);
  });

  test.each([
    ["another kind", sample(0, 0, 2)],
    ["another version", sample(0, 0, 1, 255)],
    ["too short", sample().slice(0, 20)],
    ["cut off", sample().slice(0, 100)],
    ["empty", new ArrayBuffer(0)],
  ])("of %s is refused", (_what, buffer) => {
    expect(decodeState(buffer)).toBeNull();
  });

  test("becomes the newest one, and the ticks count", () => {
    const before = tick.value;
    expect(takeState(sample(3))).toBe(true);
    expect(live.time).toBe(3);
    expect(tick.value).toBe(before + 1);
    expect([is("moving"), is("recording"), is("jogging")]).toEqual([true, true, false]);
    expect(takeState(new ArrayBuffer(3))).toBe(false);
    expect(tick.value).toBe(before + 1);
  });
});

describe("the history", () => {
  const at = (time: number) => {
    const state = decodeState(sample(time));
    if (state === null) throw new Error("no state");
    return state;
  };

  test("keeps 30 samples a second of 60 states", () => {
    const history = new History();
    for (let i = 0; i < 120; i += 1) history.take(at(i / 60));
    expect(history.length).toBe(60);
    expect([...history.column("q", 1)].every((value) => value === 1.5)).toBe(true);
    expect(history.column("q", 9)).toHaveLength(0);
  });

  test("forgets the oldest, and stays in order", () => {
    const history = new History(10);
    for (let i = 0; i < 25; i += 1) history.take(at(i));
    expect([...history.times()]).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
    expect(history.column("tool", 5)).toHaveLength(10);
  });

  test("begins anew when time goes back", () => {
    const history = new History();
    history.take(at(5));
    history.take(at(1));
    expect([...history.times()]).toEqual([1]);
  });
});
