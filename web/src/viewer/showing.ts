/** What is shown to others in the view: transparent links with their joint axes, names, a tape, and pictures of it. */

import { type Color, Group, Mesh, MeshBasicMaterial, SphereGeometry, type Sprite } from "three";
import { placeAt } from "./frames";
import type { Model } from "./model";
import type { Paths, PointMm } from "./paths";
import type { Aim, Stage } from "./stage";
import { disposeSprite, wordSprite } from "./text";

/** A joint to be marked: the place of its link among the frames, its axis there, and its name. */
export interface JointMark {
  readonly index: number;
  readonly axis: readonly [number, number, number];
  readonly text: string;
}

/** A frame to be named. */
export interface FrameMark {
  readonly index: number;
  readonly text: string;
  /** Whether the name stands left of the frame. */
  readonly isLeft?: boolean;
}

const XRAY_OPACITY = 0.22;
/** Half the length of a drawn axis, and the size of the tape's ends, in shares of the reach. */
const AXIS_PER_REACH = 0.2;
const END_PER_REACH = 0.008;
const BALL = new SphereGeometry(1, 16, 12);

interface Marked {
  readonly group: Group;
  readonly index: number;
  readonly sprite: Sprite;
}

export class Showing {
  readonly #stage: Stage;
  readonly #overlay: (name: string) => Group;
  readonly #paths: Paths;
  readonly #colour: (css: string) => Color;
  #arm: Model | null = null;
  #isXray = false;
  #frames: ArrayLike<number> = [];
  #marks: { joints: readonly JointMark[]; frames: readonly FrameMark[]; reachM: number } | null = null;
  #marked: Marked[] = [];
  #tape: { readonly points: readonly PointMm[]; readonly text: string; readonly reachM: number } | null =
    null;
  #tapeParts: (Sprite | Mesh)[] = [];

  constructor(stage: Stage, overlay: (name: string) => Group, paths: Paths, colour: (css: string) => Color) {
    this.#stage = stage;
    this.#overlay = overlay;
    this.#paths = paths;
    this.#colour = colour;
  }

  get aim(): Aim {
    return this.#stage.aim;
  }

  set aim(aim: Aim) {
    this.#stage.aim = aim;
  }

  /** See through the links, or not. */
  set xray(isXray: boolean) {
    this.#isXray = isXray;
    this.#arm?.setTransparent(isXray, XRAY_OPACITY);
    this.#stage.drawMoved();
  }

  changeArm(arm: Model): void {
    if (this.#isXray) this.#arm?.setTransparent(false, 1); // it may stay in the view, beside the new one
    this.#arm = arm;
    if (this.#isXray) arm.setTransparent(true, XRAY_OPACITY);
  }

  /** Draw the axes of joints with their names, and the names of frames; null takes all away. */
  mark(joints: readonly JointMark[], frames: readonly FrameMark[], reachMm: number): void {
    this.#marks = joints.length + frames.length === 0 ? null : { joints, frames, reachM: reachMm / 1000 };
    this.#drawMarks();
  }

  /** Stretch a tape through points (mm), with words at its middle; no points take it away. */
  measure(points: readonly PointMm[], text: string, reachMm: number): void {
    this.#tape = points.length === 0 ? null : { points, text, reachM: reachMm / 1000 };
    this.#drawTape();
  }

  /** Where the drawn axes and names are: by name, as the view draws them (m). For tests, and those who look closely. */
  get shown(): readonly { readonly text: string; readonly at: readonly number[] }[] {
    return this.#marked.map(({ group, sprite }) => ({ text: sprite.name, at: group.position.toArray() }));
  }

  place(frames: ArrayLike<number>): void {
    this.#frames = frames;
    for (const { group, index } of this.#marked) placeAt(group, frames, index);
  }

  repaint(): void {
    this.#drawMarks();
    this.#drawTape();
  }

  /** Return a picture of the view as it is, on the page's background. */
  async picture(): Promise<Blob> {
    const canvas = this.#stage.drawFine();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    if (pen !== null) {
      const paper = pen.createLinearGradient(0, 0, 0, copy.height);
      paper.addColorStop(0, this.#colour("--view-top").getStyle());
      paper.addColorStop(1, this.#colour("--view-bottom").getStyle());
      pen.fillStyle = paper;
      pen.fillRect(0, 0, copy.width, copy.height);
      pen.drawImage(canvas, 0, 0);
    }
    return new Promise((resolve, reject) => {
      copy.toBlob((blob) => {
        if (blob === null) reject(new Error("no picture"));
        else resolve(blob);
      }, "image/png");
    });
  }

  /** Draw on a plain background, for a video, or let the page show through. */
  set isFilmed(isFilmed: boolean) {
    this.#stage.backdrop = isFilmed ? this.#colour("--view-bottom") : null;
  }

  /** Draw once more: a film needs pictures also of what stands still. */
  draw(): void {
    this.#stage.draw();
  }

  #drawMarks(): void {
    for (const { group, sprite, index } of this.#marked) {
      disposeSprite(sprite);
      group.removeFromParent();
      this.#paths.remove(axisName(index));
    }
    this.#marked = [];
    const marks = this.#marks;
    if (marks !== null) {
      const reach = marks.reachM * AXIS_PER_REACH;
      for (const { index, axis, text } of marks.joints) this.#addAxis(index, axis, text, reach);
      for (const { index, text, isLeft } of marks.frames) this.#addName(index, text, isLeft ?? false);
    }
    this.place(this.#frames);
    this.#stage.draw();
  }

  #addAxis(index: number, [x, y, z]: JointMark["axis"], text: string, reach: number): void {
    const group = new Group();
    const from: PointMm = [-x * reach * 1000, -y * reach * 1000, -z * reach * 1000];
    const to: PointMm = [x * reach * 1000, y * reach * 1000, z * reach * 1000];
    const style = { colour: "--accent", width: 3, through: true, dashed: true };
    this.#paths.set(axisName(index), [from, to], style, group);
    const sprite = wordSprite(text, {
      ink: this.#colour("--on-accent"),
      paper: this.#colour("--accent"),
      anchor: [0.5, 0],
    });
    sprite.position.set(x * reach, y * reach, z * reach);
    group.add(sprite);
    this.#overlay("marks").add(group);
    this.#marked.push({ group, index, sprite });
  }

  #addName(index: number, text: string, isLeft: boolean): void {
    const group = new Group();
    const sprite = wordSprite(text, {
      ink: this.#colour("--text"),
      paper: this.#colour("--surface"),
      size: 0.72,
      anchor: [isLeft ? 1.12 : -0.12, 1.1],
    });
    group.add(sprite);
    this.#overlay("marks").add(group);
    this.#marked.push({ group, index, sprite });
  }

  #drawTape(): void {
    for (const part of this.#tapeParts) {
      part.removeFromParent();
      if (part instanceof Mesh) (part.material as MeshBasicMaterial).dispose();
      else disposeSprite(part);
    }
    this.#tapeParts = [];
    const { points, text, reachM } = this.#tape ?? { points: [], text: "", reachM: 1 };
    this.#paths.set("tape", points, { colour: "--danger", width: 4, through: true });
    for (const point of points) this.#tapeParts.push(this.#ball(point, reachM * END_PER_REACH));
    const [a, b] = points;
    if (a !== undefined && b !== undefined) {
      const style = { ink: this.#colour("--on-stop"), paper: this.#colour("--stop"), size: 1.25 };
      const sprite = wordSprite(text, { ...style, anchor: [0.5, -0.3] });
      sprite.position.set((a[0] + b[0]) / 2000, (a[1] + b[1]) / 2000, (a[2] + b[2]) / 2000);
      this.#tapeParts.push(sprite);
    }
    for (const part of this.#tapeParts) this.#overlay("tape").add(part);
    this.#stage.draw();
  }

  #ball([x, y, z]: PointMm, size: number): Mesh {
    const material = new MeshBasicMaterial({ color: this.#colour("--danger"), depthTest: false });
    const ball = new Mesh(BALL, material);
    ball.position.set(x / 1000, y / 1000, z / 1000);
    ball.scale.setScalar(size);
    ball.renderOrder = 9;
    return ball;
  }
}

const axisName = (index: number): string => `axis.${index}`;
