import { Object3D, Quaternion, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { placeAt, placeAtPose, poseOf, toYUp, zUpGroup } from "../src/viewer/frames";
import { turned } from "../src/viewer/gizmo";

const HALF = Math.SQRT1_2;
/** A frame at the origin, then one at (0.1, 0.2, 0.3) m with a quarter turn about z. */
const FRAMES = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 0.1, 0.2, 0.3, HALF, 0, 0, HALF]);

function expectNear(point: Vector3, expected: readonly [number, number, number], digits = 6): void {
  point.toArray().forEach((value, i) => expect(value).toBeCloseTo(expected[i] ?? NaN, digits));
}

describe("frames", () => {
  test("a quaternion w x y z becomes x y z w", () => {
    const thing = new Object3D();
    placeAt(thing, [0, 0, 0, 0.5, -0.5, 0.5, -0.5], 0);
    expect(thing.quaternion.toArray()).toEqual([-0.5, 0.5, -0.5, 0.5]);
  });

  test("a quarter turn about z takes the link's x to y", () => {
    const link = new Object3D();
    placeAt(link, FRAMES, 1);
    link.updateMatrix();
    expectNear(new Vector3(1, 0, 0).applyMatrix4(link.matrix), [0.1, 1.2, 0.3]);
  });

  test("a pose X Y Z A B C comes back from where it was put", () => {
    const thing = new Object3D();
    placeAtPose(thing, [100, -200, 300, 20, -35, 110]);
    poseOf(thing).forEach((value, i) =>
      expect(value).toBeCloseTo([100, -200, 300, 20, -35, 110][i] ?? NaN, 9),
    );
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

test("a thing turns with the handle about the axes of the world, whatever way it faces", () => {
  const quarterAboutZ = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2);
  const thing = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.7);
  const result = turned(thing, new Quaternion(), quarterAboutZ);
  expectNear(new Vector3(1, 0, 0).applyQuaternion(result), [0, 1, 0], 12);
});
