/** What is under the pointer: a click finds a link, a body or a ghost. */

import { type Intersection, type Object3D, Raycaster, Vector2, Vector3 } from "three";
import type { Stage } from "./stage";

export interface Picked {
  readonly kind: "link" | "arm" | "body" | "ghost" | "floor" | "overlay" | "nothing";
  /** The name of the link, the arm that is not selected, the body, the set of ghosts, or the object of an overlay. */
  readonly name: string;
  /** Which ghost of its set. */
  readonly index: number;
  /** Where, mm, z up; null where nothing was hit. */
  readonly point: readonly [number, number, number] | null;
  /** Where on the screen, px. */
  readonly client?: readonly [number, number];
}

/** A layer of what can be hit, and how to name it. */
export interface Layer {
  readonly root: Object3D;
  readonly name: (hit: Object3D) => Pick<Picked, "kind" | "name" | "index"> | null;
}

const CLICK_PX = 5;
const NOTHING: Picked = { kind: "nothing", name: "", index: 0, point: null };

/** Call `onClick` for clicks that are not drags; return a function that stops it. */
export function watchClicks(canvas: HTMLCanvasElement, onClick: (event: PointerEvent) => void): () => void {
  let down: { x: number; y: number; id: number } | null = null;
  const onDown = (event: PointerEvent): void => {
    down = event.button === 0 ? { x: event.clientX, y: event.clientY, id: event.pointerId } : null;
  };
  const onUp = (event: PointerEvent): void => {
    const start = down;
    down = null;
    if (start?.id !== event.pointerId) return;
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) <= CLICK_PX) onClick(event);
  };
  canvas.addEventListener("pointerdown", onDown);
  canvas.addEventListener("pointerup", onUp);
  return () => {
    canvas.removeEventListener("pointerdown", onDown);
    canvas.removeEventListener("pointerup", onUp);
  };
}

/** Return the nearest thing under the pointer. */
export function pickAt(
  stage: Stage,
  canvas: HTMLCanvasElement,
  { clientX, clientY }: { clientX: number; clientY: number },
  layers: readonly Layer[],
): Picked {
  const box = canvas.getBoundingClientRect();
  const at = new Vector2(
    ((clientX - box.left) / box.width) * 2 - 1,
    1 - ((clientY - box.top) / box.height) * 2,
  );
  const ray = new Raycaster();
  ray.setFromCamera(at, stage.camera);
  let best: { hit: Intersection; named: Pick<Picked, "kind" | "name" | "index"> } | null = null;
  for (const { root, name } of layers) {
    for (const hit of ray.intersectObject(root, true)) {
      if (best !== null && hit.distance >= best.hit.distance) break;
      const named = name(hit.object);
      if (named === null) continue;
      best = { hit, named };
      break;
    }
  }
  return best === null ? floorAt(stage, ray) : { ...best.named, point: millimetres(stage, best.hit.point) };
}

/** Return the value of `key` in the userData of `object`, or of the nearest parent that has it. */
export function inherited(object: Object3D, key: string): unknown {
  for (let node: Object3D | null = object; node !== null; node = node.parent)
    if (key in node.userData) return node.userData[key] as unknown;
  return undefined;
}

function floorAt(stage: Stage, ray: Raycaster): Picked {
  const { origin, direction } = ray.ray;
  if (direction.y > -1e-3) return NOTHING;
  const point = origin.clone().addScaledVector(direction, -origin.y / direction.y);
  return { kind: "floor", name: "", index: 0, point: millimetres(stage, point) };
}

function millimetres(stage: Stage, world: Vector3): readonly [number, number, number] {
  const { x, y, z } = stage.world.worldToLocal(world.clone());
  return [x * 1000, y * 1000, z * 1000];
}

/** Where a point (mm, z up) is on the screen, px; null behind the camera. */
export function onScreen(
  stage: Stage,
  canvas: HTMLCanvasElement,
  [x, y, z]: readonly [number, number, number],
): readonly [number, number] | null {
  const at = stage.world.localToWorld(new Vector3(x / 1000, y / 1000, z / 1000)).project(stage.camera);
  if (at.z > 1) return null;
  const box = canvas.getBoundingClientRect();
  return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
}
