/** The workspace in the 3D view: a faint hull, and the coloured face where a plane cuts it. */

import { effect } from "@preact/signals";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
} from "three";
import type { VolumeReport } from "../../protocol.gen";
import { view } from "../../viewer/view";
import { colourAt, type Colouring, type Faces, facesOf, mostBranches } from "./volume";
import { colouring, cut, volume } from "./workspace-state";

const FAINT = 0.16;
const ALONE = 0.5;

/** Draw it until the result is called. */
export function drawVolume(): () => void {
  const hull = new Mesh(
    new BufferGeometry(),
    new MeshLambertMaterial({ vertexColors: true, transparent: true, opacity: FAINT, depthWrite: false }),
  );
  const section = new Mesh(
    new BufferGeometry(),
    new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.88, side: DoubleSide }),
  );
  const both = [hull, section];
  for (const mesh of both) mesh.raycast = () => undefined; // clicks go through it
  const stop = effect(() => {
    const v = view.value;
    const known = volume.value;
    const plane = cut.value;
    const by = colouring.value;
    if (v === null) return;
    for (const mesh of both) mesh.removeFromParent();
    if (known !== null) {
      const faces = facesOf(known, plane);
      fill(hull.geometry, faces.hull, known, by);
      fill(section.geometry, faces.section, known, by);
      hull.material.opacity = plane === null ? ALONE : FAINT;
      v.overlay("workspace").add(...both);
    }
    v.requestDraw();
  });
  return () => {
    stop();
    for (const mesh of both) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    view.peek()?.requestDraw();
  };
}

/** Two triangles per square, each with the colour of its cube. */
function fill(geometry: BufferGeometry, faces: Faces, known: VolumeReport, by: Colouring): void {
  const count = faces.cubes.length;
  const colours = new Float32Array(12 * count);
  const triangles = new Uint32Array(6 * count);
  const share = sharesOf(known, by);
  const colour = new Color();
  faces.cubes.forEach((cube, face) => {
    const [r, g, b] = colourAt(share(cube));
    colour.setRGB(r, g, b, "srgb");
    for (let corner = 0; corner < 4; corner += 1) colour.toArray(colours, 12 * face + 3 * corner);
    triangles.set(
      [0, 1, 2, 0, 2, 3].map((corner) => 4 * face + corner),
      6 * face,
    );
  });
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(faces.corners), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(faces.normals), 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  geometry.computeBoundingSphere();
}

/** Return what gives the share, 0 to 1, by which a cube is coloured. */
function sharesOf(known: VolumeReport, by: Colouring): (cube: number) => number {
  const { branches, manipulability } = known;
  if (by === "manipulability" || branches === null) return (cube) => (manipulability[cube] ?? 0) / 255;
  const most = Math.max(mostBranches(known), 2);
  return (cube) => ((branches[cube] ?? 1) - 1) / (most - 1);
}
