/** The surface of a workspace that is made of cubes: the hull that is left of it, and the face where it is cut. */

import type { VolumeReport } from "../../protocol.gen";

export type Axis = 0 | 1 | 2;

/** A plane square to an axis, at a coordinate (mm); what lies beyond it, or before it, is taken away. */
export interface Cut {
  readonly axis: Axis;
  readonly at: number;
  readonly keeps: "below" | "above";
}

/** Squares of a surface: four corners each (m), and the number of the cube in the report's lists. */
export interface Faces {
  readonly corners: readonly number[];
  readonly normals: readonly number[];
  readonly cubes: readonly number[];
}

interface Growing {
  readonly corners: number[];
  readonly normals: number[];
  readonly cubes: number[];
}

/** Return how many cubes there are, in the direction of an axis, below a coordinate. */
export function layersBelow({ low, cell, shape }: VolumeReport, axis: Axis, at: number): number {
  return Math.min(Math.max(Math.round((at - low[axis]) / cell), 0), shape[axis]);
}

/** Return the squares between what is shown and what is not: `hull` towards the outside, `section` where it is cut. */
export function facesOf(
  volume: VolumeReport,
  cut: Cut | null,
): { readonly hull: Faces; readonly section: Faces } {
  const { shape, reached } = volume;
  const place = new Int32Array(shape[0] * shape[1] * shape[2]).fill(-1);
  reached.forEach((number, i) => (place[number] = i));
  const border = cut === null ? 0 : layersBelow(volume, cut.axis, cut.at);
  const isKept = (index: readonly number[]): boolean => {
    if (cut === null) return true;
    const layer = index[cut.axis] ?? 0;
    return cut.keeps === "below" ? layer < border : layer >= border;
  };
  const hull: Growing = { corners: [], normals: [], cubes: [] };
  const section: Growing = { corners: [], normals: [], cubes: [] };
  const [, ny, nz] = shape;
  reached.forEach((number, i) => {
    const index = [Math.floor(number / (ny * nz)), Math.floor(number / nz) % ny, number % nz];
    if (!isKept(index)) return;
    for (const axis of [0, 1, 2] as const)
      for (const side of [-1, 1] as const) {
        const next = index.with(axis, (index[axis] ?? 0) + side);
        const isThere = isInside(next, shape) && (place[numberOf(next, shape)] ?? -1) >= 0;
        if (isThere && isKept(next)) continue;
        addFace(isThere ? section : hull, volume, index, axis, side, i);
      }
  });
  return { hull, section };
}

function numberOf([x = 0, y = 0, z = 0]: readonly number[], [, ny, nz]: VolumeReport["shape"]): number {
  return (x * ny + y) * nz + z;
}

function isInside(index: readonly number[], shape: VolumeReport["shape"]): boolean {
  return index.every((value, axis) => value >= 0 && value < (shape[axis] ?? 0));
}

function addFace(
  to: Growing,
  { low, cell }: VolumeReport,
  index: readonly number[],
  axis: Axis,
  side: -1 | 1,
  cube: number,
): void {
  const across = ((axis + 1) % 3) as Axis;
  const up = ((axis + 2) % 3) as Axis;
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ] as const;
  for (const [a, b] of side > 0 ? ring : ring.toReversed()) {
    const corner = [...index];
    corner[axis] = (corner[axis] ?? 0) + (side > 0 ? 1 : 0);
    corner[across] = (corner[across] ?? 0) + a;
    corner[up] = (corner[up] ?? 0) + b;
    to.corners.push(...corner.map((value, i) => ((low[i] ?? 0) + value * cell) / 1000));
    to.normals.push(...[0, 0, 0].with(axis, side));
  }
  to.cubes.push(cube);
}

/** From dark blue over green to yellow: told apart by lightness alone, too. */
const SCALE = [
  [0.18, 0.2, 0.5],
  [0.13, 0.42, 0.6],
  [0.15, 0.62, 0.52],
  [0.55, 0.78, 0.3],
  [0.98, 0.9, 0.25],
] as const;

/** Return the colour of a share from 0 to 1, each part 0 to 1. */
export function colourAt(share: number): readonly [number, number, number] {
  const place = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1);
  const first = Math.min(Math.floor(place), SCALE.length - 2);
  const rest = place - first;
  const mix = (i: 0 | 1 | 2): number =>
    (SCALE[first]?.[i] ?? 0) * (1 - rest) + (SCALE[first + 1]?.[i] ?? 0) * rest;
  return [mix(0), mix(1), mix(2)];
}

export type Colouring = "manipulability" | "branches";

export function mostBranches({ branches }: VolumeReport): number {
  return (branches ?? []).reduce((most, count) => Math.max(most, count), 0);
}
