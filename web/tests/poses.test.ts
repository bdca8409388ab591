import { Euler, Matrix4, Quaternion } from "three";
import { describe, expect, test } from "vitest";
import { abcOf, frameOf, poseAt, quaternionOfAbc, toolPose } from "../src/poses";

const RAD = Math.PI / 180;
const TURNS: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [30, 0, 0],
  [0, 40, 0],
  [0, 0, 50],
  [-170, 60, 135],
  [12.5, -89.9, -7],
  [179, 10, -179],
];

/** The same turns by somebody else: three's matrices, one after the other. */
function matrixOf([a, b, c]: readonly [number, number, number]): Matrix4 {
  return new Matrix4()
    .makeRotationZ(a * RAD)
    .multiply(new Matrix4().makeRotationY(b * RAD))
    .multiply(new Matrix4().makeRotationX(c * RAD));
}

describe("A B C", () => {
  test.each(TURNS)("%d %d %d turns about Z, then the new Y, then the new X", (a, b, c) => {
    const [w, x, y, z] = quaternionOfAbc(a, b, c);
    const ours = new Matrix4().makeRotationFromQuaternion(new Quaternion(x, y, z, w));
    matrixOf([a, b, c]).elements.forEach((value, i) => expect(ours.elements[i]).toBeCloseTo(value, 12));
  });

  test.each(TURNS)("%d %d %d comes back from its quaternion", (a, b, c) => {
    abcOf(quaternionOfAbc(a, b, c)).forEach((value, i) => expect(value).toBeCloseTo([a, b, c][i] ?? NaN, 6));
  });

  test("agrees with three's order ZYX", () => {
    const [w, x, y, z] = quaternionOfAbc(25, 35, 45);
    const euler = new Euler().setFromQuaternion(new Quaternion(x, y, z, w), "ZYX");
    [euler.z, euler.y, euler.x].forEach((value, i) =>
      expect(value / RAD).toBeCloseTo([25, 35, 45][i] ?? NaN, 9),
    );
  });

  test.each([90, -90])("at B = %d C is 0 and A takes the whole turn", (b) => {
    const [a, found, c] = abcOf(quaternionOfAbc(50, b, 20));
    expect(found).toBeCloseTo(b, 5);
    expect(c).toBe(0);
    expect(a).toBeCloseTo(b > 0 ? 30 : 70, 5);
  });
});

describe("poses of frames", () => {
  test("are in millimetres, and the tool is the last one", () => {
    const frames = [...frameOf([1, 2, 3, 0, 0, 0]), ...frameOf([100, 200, 300, 10, 20, 30])];
    toolPose(frames)?.forEach((value, i) =>
      expect(value).toBeCloseTo([100, 200, 300, 10, 20, 30][i] ?? NaN, 9),
    );
    expect(poseAt(frames, 2)).toBeNull();
    expect(toolPose([])).toBeNull();
  });
});
