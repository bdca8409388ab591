/** The ellipsoid of the tool's velocities in the 3D view: long where it can go fast, flat where it can hardly go. */

import { effect } from "@preact/signals";
import {
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  LineBasicMaterial,
  SphereGeometry,
  Vector3,
  WireframeGeometry,
} from "three";
import { sheet } from "../../catalog";
import type { EllipsoidReport } from "../../protocol.gen";
import { coloursChanged } from "../../theme";
import { view } from "../../viewer/view";
import type { Viewer } from "../../viewer/viewer";
import { levelOf, meter, showsEllipsoid } from "./meter-state";

/** So much of the speed (mm/s at 1 rad/s) is drawn as a length. */
const SCALE = 0.25;
/** Of the arm's reach: a lost direction is still something to see. */
const THINNEST = 0.004;
const COLOURS = { good: "--series-3", slow: "--series-5", lost: "--danger" } as const;

/** Draw it until the result is called. */
export function drawEllipsoid(): () => void {
  const sphere = new SphereGeometry(1, 28, 18);
  const wires = new WireframeGeometry(new SphereGeometry(1, 12, 8));
  const skin = new MeshLambertMaterial({ transparent: true, opacity: 0.28, depthWrite: false });
  const lines = new LineBasicMaterial({ transparent: true, opacity: 0.5 });
  const body = new Mesh(sphere, skin);
  body.add(new LineSegments(wires, lines));
  body.matrixAutoUpdate = false;
  body.renderOrder = 1;
  let shownIn: Viewer | null = null;
  const stop = effect(() => {
    const v = view.value;
    const now = meter.value;
    const isDrawn = showsEllipsoid.value && now !== null;
    if (v === null || coloursChanged.value < 0) return; // read, so that other colours draw it again
    if (isDrawn) {
      place(body, now.ellipsoid, ((sheet.value?.reach ?? 1000) / 1000) * THINNEST);
      const colour = v.colour(COLOURS[levelOf(now)]);
      skin.color.copy(colour);
      lines.color.copy(colour);
      if (shownIn !== v) v.overlay("ellipsoid").add(body);
      shownIn = v;
    } else if (shownIn !== null) {
      body.removeFromParent();
      shownIn = null;
    } else return;
    v.requestDraw();
  });
  return () => {
    stop();
    body.removeFromParent();
    for (const part of [sphere, wires, skin, lines]) part.dispose();
    view.peek()?.requestDraw();
  };
}

function place(body: Mesh, { centre, axes, radii }: EllipsoidReport, thinnest: number): void {
  const [x, y, z] = axes.map((axis, i) => {
    const length = Math.max(((radii[i] ?? 0) / 1000) * SCALE, thinnest);
    return new Vector3(...axis).multiplyScalar(length);
  });
  if (x === undefined || y === undefined || z === undefined) return;
  const matrix = new Matrix4().makeBasis(x, y, z);
  matrix.setPosition(centre[0] / 1000, centre[1] / 1000, centre[2] / 1000);
  body.matrix.copy(matrix);
  body.matrixWorldNeedsUpdate = true;
}
