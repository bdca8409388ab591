/** Bodies of the project as the panel makes and changes them: mm, degrees, kg. Pure functions. */

import type { Pose } from "../../poses";
import { quaternionOfAbc } from "../../poses";
import type { BodyTable, PartTable } from "../../protocol.gen";

export const KINDS = ["box", "cylinder", "sphere", "table", "bin", "conveyor"] as const;
export type NewKind = (typeof KINDS)[number];
type Triple = readonly [number, number, number];

/** The names of the numbers of a size; what follows them in a file (edges, walls) is kept as it is. */
export const SIZE_NAMES: Readonly<Record<string, readonly string[]>> = {
  box: ["x", "y", "z"],
  cylinder: ["radius", "length"],
  sphere: ["radius"],
  table: ["x", "y", "height"],
  bin: ["x", "y", "height"],
  conveyor: ["length", "width", "height"],
};
/** Kinds that never move. */
export const ALWAYS_FIXED: ReadonlySet<string> = new Set(["table", "conveyor", "fixture"]);
/** Kinds whose origin is below them, not in their middle. */
const STANDING: ReadonlySet<string> = new Set(["table", "conveyor", "bin"]);

/** A hair of air, so that things that stand on each other do not start inside each other. */
const AIR = 0.5;
const FLOOR: Pick<BodyTable, "kind" | "size" | "xyz" | "colour"> = {
  kind: "box",
  size: [3000, 3000, 20],
  xyz: [0, 0, -10.5],
  colour: "#c3cad0",
};
const NEW: Readonly<Record<NewKind, Pick<BodyTable, "size" | "mass" | "speed" | "colour">>> = {
  box: { size: [60, 60, 60], mass: 0.3, speed: null, colour: "#d9772b" },
  cylinder: { size: [30, 80], mass: 0.3, speed: null, colour: "#2f7fb5" },
  sphere: { size: [30], mass: 0.2, speed: null, colour: "#8e5bb0" },
  table: { size: [500, 700, 300], mass: null, speed: null, colour: "#b08d63" },
  bin: { size: [220, 170, 90], mass: null, speed: null, colour: "#5f8f4e" },
  conveyor: { size: [900, 220, 250], mass: null, speed: 100, colour: "#4b545e" },
};

const EMPTY: Omit<BodyTable, "name" | "kind"> = {
  mass: null,
  com: [0, 0, 0],
  inertia: null,
  size: null,
  points: null,
  shape: null,
  file: null,
  scale: null,
  parts: null,
  speed: null,
  belt: null,
  xyz: [0, 0, 0],
  rpy: [0, 0, 0],
  friction: null,
  colour: null,
  push: [],
};

/** Return `name`, or the first of name-2, name-3, … that is not taken. */
export function uniqueName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const stem = name.replace(/-\d+$/, "").slice(0, 50);
  for (let i = 2; ; i += 1) if (!taken.includes(`${stem}-${i}`)) return `${stem}-${i}`;
}

/** Return a new body at a place (x, y) of the floor or of what stands there. */
export function newBody(
  kind: NewKind,
  at: readonly [number, number],
  bodies: readonly BodyTable[],
): BodyTable {
  const body: BodyTable = {
    ...EMPTY,
    ...NEW[kind],
    kind,
    name: uniqueName(
      kind,
      bodies.map((other) => other.name),
    ),
  };
  const z = ALWAYS_FIXED.has(kind) ? 0 : topAt(at, bodies) + AIR;
  const up = STANDING.has(kind) ? 0 : -(boundsOf(body)?.lower[2] ?? 0);
  return { ...body, xyz: [at[0], at[1], round(z + up)] };
}

/** Return the ground that a loose body needs: nothing else would keep it from falling. */
export function floorFor(bodies: readonly BodyTable[]): BodyTable | null {
  if (bodies.some((body) => isFixed(body))) return null;
  return {
    ...EMPTY,
    ...FLOOR,
    name: uniqueName(
      "floor",
      bodies.map((body) => body.name),
    ),
  };
}

/** Return free places in front of the arm, the best first: on arcs round its foot. */
export function freePlaces(
  kind: NewKind,
  base: Pose,
  reach: number,
  bodies: readonly BodyTable[],
): (readonly [number, number])[] {
  const places: (readonly [number, number])[] = [];
  const isLarge = ALWAYS_FIXED.has(kind);
  const shares = isLarge ? [0.75, 0.95, 1.2] : [0.6, 0.75, 0.5, 0.9];
  for (const share of shares)
    for (const angle of [0, 20, -20, 40, -40, 60, -60, 90, -90]) {
      const turn = ((base[3] + angle) * Math.PI) / 180;
      const x = round10(base[0] + Math.cos(turn) * reach * share);
      const y = round10(base[1] + Math.sin(turn) * reach * share);
      if (isFree(newBody(kind, [x, y], bodies), bodies)) places.push([x, y]);
    }
  return places;
}

export function isFixed(body: BodyTable): boolean {
  return body.mass === null;
}

/** Return a copy with a name of its own, beside the first one. */
export function duplicateOf(body: BodyTable, bodies: readonly BodyTable[]): BodyTable {
  const name = uniqueName(
    body.name,
    bodies.map((other) => other.name),
  );
  const box = boundsOf(body);
  const wide = box === null ? 100 : box.upper[1] - box.lower[1] + 10;
  for (let i = 1; i <= 20; i += 1) {
    const side = i % 2 === 1 ? (i + 1) / 2 : -i / 2;
    const xyz: Triple = [body.xyz[0], round(body.xyz[1] + side * wide), body.xyz[2]];
    const copy = { ...body, name, xyz };
    if (isFree(copy, bodies)) return copy;
  }
  return { ...body, name, xyz: [body.xyz[0], body.xyz[1], round(body.xyz[2] + 500)] };
}

/** Return the body's place as X Y Z A B C: A is yaw, B pitch, C roll. */
export function poseOfBody({ xyz, rpy }: Pick<BodyTable, "xyz" | "rpy">): Pose {
  return [xyz[0], xyz[1], xyz[2], rpy[2], rpy[1], rpy[0]];
}

/** Return `body` at a pose. */
export function bodyAt(body: BodyTable, [x, y, z, a, b, c]: Pose): BodyTable {
  return { ...body, xyz: [round(x), round(y), round(z)], rpy: [round(c), round(b), round(a)] };
}

export interface Bounds {
  readonly lower: Triple;
  readonly upper: Triple;
}

/** Return the box round a body (mm, along the world's axes); null where its shape does not say. */
export function boundsOf(body: BodyTable): Bounds | null {
  const parts = partsOf(body);
  if (parts === null || parts.length === 0) return null;
  const turn = rows(body.rpy);
  const boxes = parts.map(({ middle, half }) => {
    const at = apply(turn, middle);
    const reach = turn.map((row) => row.reduce((sum, value, i) => sum + Math.abs(value) * (half[i] ?? 0), 0));
    return [0, 1, 2].map((i) => [
      (at[i] ?? 0) + (body.xyz[i] ?? 0) - (reach[i] ?? 0),
      (at[i] ?? 0) + (body.xyz[i] ?? 0) + (reach[i] ?? 0),
    ]);
  });
  const least = (i: number): number => Math.min(...boxes.map((box) => box[i]?.[0] ?? 0));
  const most = (i: number): number => Math.max(...boxes.map((box) => box[i]?.[1] ?? 0));
  return { lower: [least(0), least(1), least(2)], upper: [most(0), most(1), most(2)] };
}

/** Tell whether a body's box is clear of those of all others, and of the arm's foot. */
export function isFree(body: BodyTable, bodies: readonly BodyTable[]): boolean {
  const box = boundsOf(body);
  if (box === null) return true;
  return bodies.every((other) => {
    const around = boundsOf(other);
    if (around === null) return true;
    return [0, 1, 2].some(
      (i) => (box.lower[i] ?? 0) >= (around.upper[i] ?? 0) || (box.upper[i] ?? 0) <= (around.lower[i] ?? 0),
    );
  });
}

/** Return how high the ground is at a place: the top of the fixed body there, or the floor. */
export function topAt([x, y]: readonly [number, number], bodies: readonly BodyTable[]): number {
  const tops = bodies.filter(isFixed).map((body) => {
    const box = boundsOf(body);
    const isThere =
      box !== null && x >= box.lower[0] && x <= box.upper[0] && y >= box.lower[1] && y <= box.upper[1];
    return isThere ? box.upper[2] : 0;
  });
  return Math.max(0, ...tops);
}

interface PartBox {
  readonly middle: Triple;
  readonly half: Triple;
}

function partsOf(body: BodyTable): readonly PartBox[] | null {
  if (body.shape !== null)
    return body.shape.map((part) => partBox(part)).filter((box): box is PartBox => box !== null);
  const half = halfSize(body.kind, body.size);
  if (half === null) return null;
  return [{ half, middle: [0, 0, STANDING.has(body.kind) ? half[2] : 0] }];
}

function partBox(part: PartTable): PartBox | null {
  if (part.points !== null) {
    const along = (i: number): number[] => (part.points ?? []).map((point) => point[i] ?? 0);
    const middle = [0, 1, 2].map((i) => (Math.max(...along(i)) + Math.min(...along(i))) / 2);
    const half = [0, 1, 2].map((i) => (Math.max(...along(i)) - Math.min(...along(i))) / 2);
    return turned(part, triple(middle), triple(half));
  }
  const half = halfSize(part.kind, part.size);
  return half === null ? null : turned(part, [0, 0, 0], half);
}

function turned(part: PartTable, middle: Triple, half: Triple): PartBox {
  const turn = rows(part.rpy);
  const at = apply(turn, middle);
  return {
    middle: [at[0] + part.xyz[0], at[1] + part.xyz[1], at[2] + part.xyz[2]],
    half: triple(turn.map((row) => row.reduce((sum, value, i) => sum + Math.abs(value) * (half[i] ?? 0), 0))),
  };
}

function halfSize(kind: string, size: readonly number[] | null): Triple | null {
  if (size === null) return null;
  const [a = 0, b = 0, c = 0] = size;
  if (kind === "sphere") return [a, a, a];
  if (kind === "cylinder") return [a, a, b / 2];
  if (kind === "loft") return null;
  return [a / 2, b / 2, c / 2];
}

/** Return the rotation of roll, pitch, yaw as three rows. */
function rows([roll, pitch, yaw]: Triple): readonly (readonly number[])[] {
  const [w, x, y, z] = quaternionOfAbc(yaw, pitch, roll);
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

function apply(turn: readonly (readonly number[])[], at: Triple): Triple {
  return triple(turn.map((row) => row.reduce((sum, value, i) => sum + value * (at[i] ?? 0), 0)));
}

function triple(values: readonly number[]): Triple {
  return [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000 + 0;
}

function round10(value: number): number {
  return Math.round(value / 10) * 10 + 0;
}
