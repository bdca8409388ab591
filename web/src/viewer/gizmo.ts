/** Handles to drag something by: along or about the axes of the world ("base") or of the thing itself ("tool"). */

import { Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { Pose } from "../poses";
import type { ViewColours } from "./colours";
import { placeAtPose, poseOf } from "./frames";
import type { Stage } from "./stage";

export interface GizmoWish {
  readonly pose: Pose;
  readonly mode: "translate" | "rotate";
  readonly frame: "base" | "tool";
  /** Called while dragging, with X Y Z A B C. */
  readonly onMove: (pose: Pose) => void;
  readonly onStart?: () => void;
  readonly onEnd?: (pose: Pose) => void;
  /** Somebody else has attached the handles to a thing of theirs. */
  readonly onTaken?: () => void;
}

const SIZE = 0.8;

export class Gizmo {
  readonly #stage: Stage;
  readonly #controls: TransformControls;
  /** What the handles move: it has the axes that are shown, the thing itself need not. */
  readonly #handle = new Object3D();
  readonly #thing = new Object3D();
  readonly #before = { position: new Vector3(), turn: new Quaternion(), handle: new Quaternion() };
  #wish: GizmoWish | null = null;

  constructor(stage: Stage, canvas: HTMLCanvasElement) {
    this.#stage = stage;
    this.#controls = new TransformControls(stage.camera, canvas);
    this.#controls.setSpace("local"); // the handle stands in the z-up group, whose axes are armlab's
    this.#controls.setSize(SIZE);
    this.#controls.addEventListener("change", () => stage.draw());
    this.#controls.addEventListener("dragging-changed", ({ value }) => this.#onDragging(value === true));
    this.#controls.addEventListener("objectChange", () => this.#onMoved());
    stage.world.add(this.#handle);
    stage.scene.add(this.#controls.getHelper());
  }

  get isDragging(): boolean {
    return this.#controls.dragging;
  }

  /** Whether the pointer is over a handle: a click there is not meant for what is behind. */
  get isTouched(): boolean {
    return this.#controls.axis !== null;
  }

  /** Show the handles at a pose. */
  attach(wish: GizmoWish): void {
    const before = this.#wish;
    this.#wish = wish;
    if (before !== null && before.onTaken !== wish.onTaken) before.onTaken?.();
    this.#controls.setMode(wish.mode);
    if (!this.isDragging) this.follow(wish.pose);
    this.#controls.attach(this.#handle);
    this.#stage.draw();
  }

  /** Put the handles where the thing is now, unless they are being dragged. */
  follow(pose: Pose): void {
    if (this.isDragging || this.#wish === null) return;
    placeAtPose(this.#thing, pose);
    this.#handle.position.copy(this.#thing.position);
    if (this.#wish.frame === "tool") this.#handle.quaternion.copy(this.#thing.quaternion);
    else this.#handle.quaternion.identity();
    this.#stage.draw();
  }

  /** Use the colours of the axes as they hold now. */
  paint({ axisX, axisY, axisZ, accent }: ViewColours): void {
    this.#controls.setColors(axisX, axisY, axisZ, accent);
  }

  /** Take the handles away. */
  detach(): void {
    this.#wish = null;
    this.#controls.detach();
    this.#stage.draw();
  }

  dispose(): void {
    this.#controls.getHelper().removeFromParent();
    this.#controls.dispose();
  }

  #onDragging(isDragging: boolean): void {
    this.#stage.allowTurning(!isDragging);
    if (isDragging) {
      this.#before.turn.copy(this.#thing.quaternion);
      this.#before.handle.copy(this.#handle.quaternion);
      this.#wish?.onStart?.();
    } else {
      this.#wish?.onEnd?.(poseOf(this.#thing));
      this.follow(poseOf(this.#thing));
    }
  }

  #onMoved(): void {
    this.#thing.position.copy(this.#handle.position);
    this.#thing.quaternion.copy(turned(this.#before.turn, this.#before.handle, this.#handle.quaternion));
    this.#wish?.onMove(poseOf(this.#thing));
  }
}

/** Return `turn` after the handle has turned from `from` to `to`: both turn alike in the world. */
export function turned(turn: Quaternion, from: Quaternion, to: Quaternion): Quaternion {
  return to.clone().multiply(from.clone().invert()).multiply(turn);
}
