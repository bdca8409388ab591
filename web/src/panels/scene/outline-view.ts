/** A box of lines in the 3D view: where a body was before it was dragged. */

import { BoxGeometry, EdgesGeometry, LineBasicMaterial, LineSegments } from "three";
import type { Pose } from "../../poses";
import { placeAtPose } from "../../viewer/frames";
import type { Viewer } from "../../viewer/viewer";
import type { Bounds } from "./bodies";

let shown: LineSegments<EdgesGeometry, LineBasicMaterial> | null = null;

/** Draw the box at a pose, or take it away. */
export function drawOutline(viewer: Viewer, box: Bounds | null, pose: Pose | null): void {
  if (shown !== null) {
    shown.removeFromParent();
    shown.geometry.dispose();
    shown.material.dispose();
    shown = null;
  }
  if (box !== null && pose !== null) {
    const metres = (i: number): number => ((box.upper[i] ?? 0) - (box.lower[i] ?? 0)) / 1000;
    const middle = (i: number): number => ((box.upper[i] ?? 0) + (box.lower[i] ?? 0)) / 2000;
    const solid = new BoxGeometry(metres(0), metres(1), metres(2)).translate(middle(0), middle(1), middle(2));
    const material = new LineBasicMaterial({ color: viewer.colour("--accent"), depthTest: false });
    shown = new LineSegments(new EdgesGeometry(solid), material);
    shown.renderOrder = 8;
    placeAtPose(shown, pose);
    viewer.overlay("scene.outline").add(shown);
    solid.dispose();
  }
  viewer.requestDraw();
}
