/** Three arrows that show a frame: x red, y green, z blue. */

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial } from "three";
import type { ViewColours } from "./colours";

const SHAFT = new CylinderGeometry(0.018, 0.018, 0.8, 10).translate(0, 0.4, 0);
const HEAD = new ConeGeometry(0.06, 0.22, 14).translate(0, 0.89, 0);

export class Triad {
  readonly group = new Group();
  readonly #materials = [new MeshBasicMaterial(), new MeshBasicMaterial(), new MeshBasicMaterial()] as const;

  constructor(lengthM: number) {
    const [x, y, z] = this.#materials;
    this.group.add(arrow(x, 0, -Math.PI / 2), arrow(y, 0, 0), arrow(z, Math.PI / 2, 0));
    this.group.scale.setScalar(lengthM);
  }

  paint(colours: ViewColours): void {
    const [x, y, z] = this.#materials;
    x.color.copy(colours.axisX);
    y.color.copy(colours.axisY);
    z.color.copy(colours.axisZ);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const material of this.#materials) material.dispose();
  }
}

function arrow(material: MeshBasicMaterial, aboutX: number, aboutZ: number): Group {
  const group = new Group();
  group.add(new Mesh(SHAFT, material), new Mesh(HEAD, material));
  group.rotation.set(aboutX, 0, aboutZ);
  return group;
}
