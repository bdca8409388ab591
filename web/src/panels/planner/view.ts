/** The points of the plan in the 3D view: a ball for each, arrows for frames; the chosen one has handles. */

import {
  ConeGeometry,
  CylinderGeometry,
  type Group,
  Group as Arrows,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from "three";
import type { Pose } from "../../poses";
import { placeAtPose } from "../../viewer/frames";
import type { Viewer } from "../../viewer/viewer";

const BALL = new SphereGeometry(1, 20, 14);
const SHAFT = new CylinderGeometry(0.09, 0.09, 3.2, 8).translate(0, 1.6, 0);
const TIP = new ConeGeometry(0.26, 0.9, 12).translate(0, 3.6, 0);
const BALL_PER_REACH = 0.011;
const CHOSEN = 1.45;
const AXES = [
  ["--axis-x", 0, -Math.PI / 2],
  ["--axis-y", 0, 0],
  ["--axis-z", Math.PI / 2, 0],
] as const;

export const PICK = "planner.point.";

/** Draw the points; the earlier ones are taken away. */
export function drawPoints(
  viewer: Viewer,
  poses: readonly Pose[],
  chosen: number | null,
  reachMm: number,
  withFrames: boolean,
): void {
  const group = viewer.overlay("planner");
  clearPoints(viewer);
  const size = (reachMm / 1000) * BALL_PER_REACH;
  poses.forEach((pose, index) => {
    const isChosen = index === chosen;
    const marker = new Arrows();
    const colour = viewer.colour(isChosen ? "--accent" : "--planned");
    marker.add(new Mesh(BALL, new MeshBasicMaterial({ color: colour })));
    if (withFrames) for (const [token, x, z] of AXES) marker.add(arrow(viewer, token, x, z));
    marker.scale.setScalar(size * (isChosen ? CHOSEN : 1));
    marker.userData.pick = `${PICK}${index}`;
    placeAtPose(marker, pose);
    group.add(marker);
  });
  viewer.requestDraw();
}

/** Take all points away. */
export function clearPoints(viewer: Viewer): void {
  const group = viewer.overlay("planner");
  group.traverse((object) => {
    if (object instanceof Mesh) (object.material as MeshBasicMaterial).dispose();
  });
  group.clear();
  viewer.requestDraw();
}

function arrow(viewer: Viewer, token: string, aboutX: number, aboutZ: number): Group {
  const material = new MeshBasicMaterial({ color: viewer.colour(token) });
  const group = new Arrows();
  group.add(new Mesh(SHAFT, material), new Mesh(TIP, material));
  group.rotation.set(aboutX, 0, aboutZ);
  return group;
}
