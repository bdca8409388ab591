import { cellFor } from "../src/viewer/floor";
import { Box3, PerspectiveCamera, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { distanceTo } from "../src/viewer/stage";

describe("the camera", () => {
  const box = new Box3(new Vector3(-1, 0, -0.4), new Vector3(1.2, 1.5, 0.9));

  test.each([
    { aspect: 1.7, from: new Vector3(0.78, 0.42, 1) },
    { aspect: 0.6, from: new Vector3(1, 0.08, 0) },
    { aspect: 1, from: new Vector3(0, 1, 0.001) },
  ])("sees a whole box from $from, and just so", ({ aspect, from }) => {
    const camera = new PerspectiveCamera(36, aspect, 0.01, 60);
    const target = box.getCenter(new Vector3());
    const tangent = Math.tan((18 * Math.PI) / 180);
    const direction = from.clone().normalize();
    camera.position
      .copy(target)
      .addScaledVector(direction, distanceTo(box, target, direction, tangent, aspect));
    camera.lookAt(target);
    camera.updateMatrixWorld();
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => {
      const at = new Vector3(
        (i & 1 ? box.max : box.min).x,
        (i & 2 ? box.max : box.min).y,
        (i & 4 ? box.max : box.min).z,
      );
      const { x, y } = at.project(camera);
      return Math.max(Math.abs(x), Math.abs(y));
    });
    expect(Math.max(...corners)).toBeCloseTo(1, 3);
  });
});

test("cells of the floor are 1, 2 or 5 of a unit and grow with the arm", () => {
  expect([0.08, 0.4, 0.8, 1.7, 3.2, 40].map((radius) => Number(cellFor(radius).toPrecision(3)))).toEqual([
    0.01, 0.05, 0.1, 0.2, 0.5, 5,
  ]);
});
