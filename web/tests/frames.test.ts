import { Object3D, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { placeAt, quaternionOf, toYUp, zUpGroup } from "../src/viewer/frames";

const HALF = Math.SQRT1_2;
const QUARTER_TURN_ABOUT_Z = {
  name: "link",
  xyz: [100, 200, 300],
  quaternion: [HALF, 0, 0, HALF],
} as const;

function expectNear(point: Vector3, expected: readonly [number, number, number]): void {
  point.toArray().forEach((value, i) => expect(value).toBeCloseTo(expected[i] ?? NaN, 12));
}

describe("frames", () => {
  test("a quaternion w x y z becomes x y z w", () => {
    const { x, y, z, w } = quaternionOf({ name: "", xyz: [0, 0, 0], quaternion: [0.1, 0.2, 0.3, 0.4] });
    expect([x, y, z, w]).toEqual([0.2, 0.3, 0.4, 0.1]);
  });

  test("a quarter turn about z takes the link's x to y, and millimetres become metres", () => {
    const link = new Object3D();
    placeAt(link, QUARTER_TURN_ABOUT_Z);
    link.updateMatrix();
    expectNear(new Vector3(1, 0, 0).applyMatrix4(link.matrix), [0.1, 1.2, 0.3]);
  });

  test("in the z-up group, armlab's z points up in three, and x and y keep their hand", () => {
    const group = zUpGroup();
    group.updateMatrixWorld();
    const seen = (x: number, y: number, z: number): Vector3 =>
      new Vector3(x, y, z).applyMatrix4(group.matrixWorld);
    expectNear(seen(0, 0, 1), [0, 1, 0]);
    expectNear(seen(1, 2, 3), toYUp(1, 2, 3).toArray());
    expectNear(seen(1, 0, 0).cross(seen(0, 1, 0)), seen(0, 0, 1).toArray());
  });
});
