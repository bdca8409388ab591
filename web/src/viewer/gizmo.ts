/** Handles to drag something by: along or about the axes of the world, of the arm's base, or of the thing itself. */

import { Object3D, Quaternion, Vector3, Vector4 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { Pose } from "../poses";
import type { ViewColours } from "./colours";
import { placeAt, placeAtPose, poseOf, turnOfPose } from "./frames";
import type { Stage } from "./stage";

export interface GizmoOptions {
  readonly pose: Pose;
  readonly mode: "translate" | "rotate";
  /** Whose axes the handles have; "tool" are those of the thing itself, a pose those of any other frame. */
  readonly frame: "world" | "base" | "tool" | Pose;
  /** Called while dragging, with X Y Z A B C. */
  readonly onMove: (pose: Pose) => void;
  readonly onStart?: () => void;
  readonly onEnd?: (pose: Pose) => void;
  /** The drag was given up: by Esc, another window, a touch that the system took, another finger on something else.
   *
   * Without it, the thing is moved back to where it was, and the drag ends there. */
  readonly onCancel?: () => void;
  /** Somebody else has attached the handles to a thing of theirs. */
  readonly onTaken?: () => void;
}

const SIZE = 0.8;
/** A finger hides what it touches: its handles are larger. */
const FINGER_SIZE = 1.1;
/** A finger means the handle that it is next to; so every handle is at least 44 px wide for it. */
const FINGER_PX = [8, 15, 22] as const;
const FINGER_DIRECTIONS = 12;

export class Gizmo {
  readonly #stage: Stage;
  readonly #canvas: HTMLCanvasElement;
  readonly #controls: TransformControls;
  /** What the handles move: it has the axes that are shown, the thing itself need not. */
  readonly #handle = new Object3D();
  readonly #thing = new Object3D();
  readonly #base = new Object3D();
  readonly #before = { position: new Vector3(), turn: new Quaternion(), handle: new Quaternion() };
  readonly #over = new AbortController();
  #options: GizmoOptions | null = null;
  /** The pointer that drags. */
  #pointer = -1;
  #isPressed = false;
  #isCancelled = false;

  constructor(stage: Stage, canvas: HTMLCanvasElement) {
    this.#stage = stage;
    this.#canvas = canvas;
    const on = { signal: this.#over.signal };
    // Before the controls hear of it: which handle is meant, and whether it is the hand that drags.
    canvas.addEventListener("pointerdown", (event) => this.#onDown(event), { ...on, capture: true });
    for (const type of ["pointermove", "pointerup", "pointercancel"] as const)
      canvas.addEventListener(type, (event) => this.#keepOut(event), { ...on, capture: true });
    this.#controls = new TransformControls(stage.camera, canvas);
    this.#controls.setSpace("local"); // the handle stands in the z-up group, whose axes are armlab's
    this.#resize();
    this.#controls.addEventListener("change", () => stage.draw());
    this.#controls.addEventListener("dragging-changed", ({ value }) => this.#onDragging(value === true));
    this.#controls.addEventListener("objectChange", () => this.#onMoved());
    canvas.addEventListener("pointercancel", () => this.cancel(), on);
    for (const type of ["pointerup", "pointercancel"] as const)
      addEventListener(type, (event) => this.#onUp(event), on);
    addEventListener("keydown", ({ key }) => key === "Escape" && this.cancel(), { ...on, capture: true });
    addEventListener("pointerdown", (event) => this.#onOther(event), { ...on, capture: true });
    addEventListener("blur", () => this.cancel(), on);
    matchMedia("(pointer: coarse)").addEventListener("change", () => this.#resize(), on);
    stage.world.add(this.#handle);
    stage.scene.add(this.#controls.getHelper());
  }

  get isDragging(): boolean {
    return this.#controls.dragging;
  }

  /** The handle that the pointer is over: "X", "Y", "Z", or a pair of them for a plane; null where there is none. */
  get hovered(): string | null {
    return this.#controls.axis;
  }

  /** Whether the pointer is, or was pressed, over a handle: a click there is not meant for what is behind. */
  get isTouched(): boolean {
    return this.#isPressed || this.hovered !== null;
  }

  /** Show the handles at a pose. */
  attach(options: GizmoOptions): void {
    const before = this.#options;
    this.#options = options;
    if (before !== null && before.onTaken !== options.onTaken) before.onTaken?.();
    this.#controls.setMode(options.mode);
    if (!this.isDragging) this.follow(options.pose);
    this.#controls.attach(this.#handle);
    this.#stage.draw();
  }

  /** Put the handles where the thing is now, unless they are being dragged. */
  follow(pose: Pose): void {
    if (this.isDragging || this.#options === null) return;
    placeAtPose(this.#thing, pose);
    this.#handle.position.copy(this.#thing.position);
    this.#handle.quaternion.copy(this.#axes(this.#options.frame));
    this.#stage.draw();
  }

  /** Say how the arm's base stands: the first of `frames` (7 numbers each). */
  setBase(frames: ArrayLike<number>): void {
    if (frames.length === 0) return;
    const before = this.#base.quaternion.clone();
    placeAt(this.#base, frames, 0);
    if (this.isDragging || this.#options?.frame !== "base" || before.equals(this.#base.quaternion)) return;
    this.#handle.quaternion.copy(this.#base.quaternion);
    this.#stage.draw();
  }

  /** Give a drag up: the thing is where it was. */
  cancel(): void {
    if (!this.isDragging) return;
    const { onCancel } = this.#options ?? {};
    this.#isCancelled = onCancel !== undefined;
    this.#controls.reset();
    this.#controls.pointerUp(null);
    this.#isCancelled = false;
    this.#stage.allowTurning(false); // the hand that is still down does not turn the view instead
    onCancel?.();
  }

  /** Use the colours of the axes as they hold now. */
  paint({ axisX, axisY, axisZ, accent }: ViewColours): void {
    this.#controls.setColors(axisX, axisY, axisZ, accent);
  }

  /** Take the handles away. */
  detach(): void {
    this.cancel();
    this.#options = null;
    this.#controls.detach();
    this.#stage.draw();
  }

  dispose(): void {
    this.#over.abort();
    this.#controls.getHelper().removeFromParent();
    this.#controls.dispose();
  }

  #axes(frame: GizmoOptions["frame"]): Quaternion {
    if (frame === "tool") return this.#thing.quaternion;
    if (typeof frame !== "string") return turnOfPose(frame);
    return frame === "base" ? this.#base.quaternion : new Quaternion();
  }

  #resize(): void {
    this.#controls.setSize(matchMedia("(pointer: coarse)").matches ? FINGER_SIZE : SIZE);
    this.#stage.draw();
  }

  #onDown(event: PointerEvent): void {
    if (this.isDragging) {
      event.stopImmediatePropagation(); // a second finger turns nothing and drags nothing
      return;
    }
    this.#pointer = event.pointerId;
    this.#stage.allowTurning(true);
    this.#controls.viewport = null;
    this.#aim(event, 0, 0);
    if (event.pointerType === "touch") this.#aimNear(event);
    this.#isPressed = this.#controls.axis !== null;
    // The plane that is dragged in depends on the handle; a finger has not hovered over it before.
    this.#controls.getHelper().updateMatrixWorld(true);
  }

  /** Look for a handle next to the finger; if there is one, the whole drag is as if the finger were there. */
  #aimNear(event: PointerEvent): void {
    for (const away of FINGER_PX) {
      for (let i = 0; i < FINGER_DIRECTIONS && this.#controls.axis === null; i++) {
        const angle = (2 * Math.PI * i) / FINGER_DIRECTIONS;
        this.#aim(event, away * Math.cos(angle), away * Math.sin(angle));
      }
    }
    if (this.#controls.axis === null) this.#controls.viewport = null;
  }

  #aim({ clientX, clientY, button }: PointerEvent, right: number, down: number): void {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const x = ((clientX - left + right) / width) * 2 - 1;
    const y = 1 - ((clientY - top + down) / height) * 2;
    this.#controls.viewport = right === 0 && down === 0 ? null : new Vector4(-right, down, width, height);
    this.#controls.pointerHover({ x, y, button } as PointerEvent);
  }

  /** While one pointer drags, the others do nothing here. */
  #keepOut(event: PointerEvent): void {
    if (this.isDragging && event.pointerId !== this.#pointer) event.stopImmediatePropagation();
  }

  #onUp({ pointerId }: PointerEvent): void {
    if (pointerId === this.#pointer && !this.isDragging) this.#stage.allowTurning(true);
  }

  /** Another finger on something else, on the stop button say, ends it. */
  #onOther({ target, pointerId }: PointerEvent): void {
    if (pointerId !== this.#pointer && target !== this.#canvas) this.cancel();
  }

  #onDragging(isDragging: boolean): void {
    this.#stage.allowTurning(!isDragging);
    if (isDragging) {
      this.#before.turn.copy(this.#thing.quaternion);
      this.#before.handle.copy(this.#handle.quaternion);
      this.#options?.onStart?.();
      return;
    }
    this.#controls.viewport = null;
    if (!this.#isCancelled) this.#options?.onEnd?.(poseOf(this.#thing));
    this.follow(poseOf(this.#thing));
  }

  #onMoved(): void {
    this.#thing.position.copy(this.#handle.position);
    this.#thing.quaternion.copy(turned(this.#before.turn, this.#before.handle, this.#handle.quaternion));
    if (!this.#isCancelled) this.#options?.onMove(poseOf(this.#thing));
  }
}

/** Return `turn` after the handle has turned from `from` to `to`: both turn alike in the world. */
export function turned(turn: Quaternion, from: Quaternion, to: Quaternion): Quaternion {
  return to.clone().multiply(from.clone().invert()).multiply(turn);
}
