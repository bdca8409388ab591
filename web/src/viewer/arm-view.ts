/** The 3D view of one arm: shape from the server's GLB, places from the server's frames, no kinematics of its own. */

import { Group } from "three";
import type { FrameReport } from "../protocol.gen";
import { readColours } from "./colours";
import { placeAt } from "./frames";
import { ArmModel } from "./model";
import { Stage, type ViewFrom } from "./stage";
import { Triad } from "./triad";

export type { ViewFrom } from "./stage";

const TRIAD_PER_REACH = 0.16;
/** The base frame stands inside the foot, so its arrows are longer. */
const BASE_TRIAD = 1.5;
const TURN_DEG = 8;
const ZOOM = 1.12;

export class ArmView {
  readonly #canvas: HTMLCanvasElement;
  readonly #stage: Stage;
  readonly #sizes: ResizeObserver;
  readonly #triadGroup = new Group();
  readonly #triads = new Map<string, Triad>();
  #model: ArmModel | null = null;
  #everyFrame = false;
  #triadLength = 0.12;

  /** Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#stage = new Stage(canvas, matchMedia("(prefers-reduced-motion: reduce)").matches);
    this.#stage.arm.add(this.#triadGroup);
    this.#sizes = new ResizeObserver(() => this.#stage.resize(canvas.clientWidth, canvas.clientHeight));
    this.#sizes.observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.#stage.draw());
    this.repaint();
  }

  /** Read a shape without showing it yet. */
  read(glb: ArrayBuffer): Promise<ArmModel> {
    return ArmModel.read(glb);
  }

  /** Show another arm, standing as `frames` say, from the corner. */
  show(model: ArmModel, frames: readonly FrameReport[], reachMm: number): void {
    this.clear();
    this.#model = model;
    this.#triadLength = (reachMm / 1000) * TRIAD_PER_REACH;
    this.#stage.arm.add(model.group);
    this.place(frames);
    this.lookFrom("corner");
  }

  /** Move the links to their frames. */
  place(frames: readonly FrameReport[]): void {
    this.#model?.place(frames);
    frames.forEach((frame, index) => {
      const triad = this.#triadOf(frame.name);
      placeAt(triad.group, frame);
      triad.group.visible = this.#everyFrame || index === 0 || index === frames.length - 1;
    });
    this.#stage.drawMoved();
  }

  /** Show the frame of every link, or only those of base and tool. */
  showEveryFrame(every: boolean): void {
    this.#everyFrame = every;
    const names = [...this.#triads.keys()];
    names.forEach((name, index) => {
      this.#triadOf(name).group.visible = every || index === 0 || index === names.length - 1;
    });
    this.#stage.draw();
  }

  /** Look at the whole arm, as it stands now. */
  lookFrom(from: ViewFrom): void {
    this.#stage.measure(this.#model?.group ?? this.#triadGroup);
    this.#stage.lookFrom(from);
  }

  /** Turn and zoom by keyboard; return whether the key means something here. */
  press(key: string): boolean {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#stage.orbit(-TURN_DEG, 0, 1),
      ArrowRight: () => this.#stage.orbit(TURN_DEG, 0, 1),
      ArrowUp: () => this.#stage.orbit(0, TURN_DEG, 1),
      ArrowDown: () => this.#stage.orbit(0, -TURN_DEG, 1),
      "+": () => this.#stage.orbit(0, 0, ZOOM),
      "=": () => this.#stage.orbit(0, 0, ZOOM),
      "-": () => this.#stage.orbit(0, 0, 1 / ZOOM),
      "0": () => this.lookFrom("corner"),
    };
    const move = moves[key];
    move?.();
    return move !== undefined;
  }

  /** Read the page's colours again. */
  repaint(): void {
    const colours = readColours(this.#canvas);
    this.#stage.paint(colours);
    for (const triad of this.#triads.values()) triad.paint(colours);
  }

  /** Take the arm away. */
  clear(): void {
    this.#model?.group.removeFromParent();
    this.#model?.dispose();
    this.#model = null;
    for (const triad of this.#triads.values()) {
      triad.group.removeFromParent();
      triad.dispose();
    }
    this.#triads.clear();
    this.#stage.drawMoved();
  }

  dispose(): void {
    this.#sizes.disconnect();
    this.clear();
    this.#stage.dispose();
  }

  #triadOf(name: string): Triad {
    const known = this.#triads.get(name);
    if (known !== undefined) return known;
    const isBase = this.#triads.size === 0;
    const triad = new Triad(this.#triadLength * (isBase ? BASE_TRIAD : 1));
    triad.paint(readColours(this.#canvas));
    this.#triads.set(name, triad);
    this.#triadGroup.add(triad.group);
    return triad;
  }
}
