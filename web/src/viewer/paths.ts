/** Lines in the view, some pixels wide: paths of the tool, planned (dashed) and travelled (solid). */

import { Color, type Group, type Object3D, Vector2 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";

export interface PathStyle {
  /** A CSS colour, or a token such as "--accent". */
  readonly colour: string;
  readonly dashed?: boolean;
  /** px */
  readonly width?: number;
  readonly opacity?: number;
  /** Seen through the arm. */
  readonly through?: boolean;
}

/** A point x y z in mm, z up. */
export type PointMm = readonly [number, number, number];

const WIDTH_PX = 2.5;
const DASH_M = 0.012;

export class Paths {
  readonly #group: Group;
  readonly #colour: (css: string) => Color;
  readonly #lines = new Map<string, { line: Line2; style: PathStyle }>();
  readonly #size = new Vector2(1, 1);

  constructor(group: Group, colour: (css: string) => Color) {
    this.#group = group;
    this.#colour = colour;
  }

  /** Draw the line `name` through `points`, in the world or in a group that moves; fewer than two take it away. */
  set(name: string, points: readonly PointMm[], style: PathStyle, parent: Object3D = this.#group): void {
    this.remove(name);
    if (points.length < 2) return;
    const geometry = new LineGeometry();
    geometry.setPositions(points.flatMap(([x, y, z]) => [x / 1000, y / 1000, z / 1000]));
    const line = new Line2(geometry, this.#material(style));
    line.computeLineDistances();
    line.renderOrder = 2;
    line.name = name;
    parent.add(line);
    this.#lines.set(name, { line, style });
  }

  remove(name: string): void {
    const kept = this.#lines.get(name);
    if (kept === undefined) return;
    this.#lines.delete(name);
    kept.line.removeFromParent();
    kept.line.geometry.dispose();
    kept.line.material.dispose();
  }

  resize(width: number, height: number): void {
    this.#size.set(width, height);
    for (const { line } of this.#lines.values()) line.material.resolution.copy(this.#size);
  }

  repaint(): void {
    for (const { line, style } of this.#lines.values()) line.material.color.copy(this.#colour(style.colour));
  }

  #material({
    colour,
    dashed = false,
    width = WIDTH_PX,
    opacity = 1,
    through = false,
  }: PathStyle): LineMaterial {
    const material = new LineMaterial({
      linewidth: width,
      dashed,
      dashSize: DASH_M,
      gapSize: DASH_M * 0.7,
      transparent: opacity < 1 || through,
      opacity,
      depthTest: !through,
    });
    material.color.copy(this.#colour(colour));
    material.resolution.copy(this.#size);
    return material;
  }
}
