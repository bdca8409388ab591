/** The 3D view: shapes from the server's GLBs, places from its states, no kinematics of its own. */

import { Color, Group } from "three";
import type { Pose } from "../poses";
import type { UserFrame } from "../protocol.gen";
import type { Selected } from "../selection";
import { readColours } from "./colours";
import { placeAt } from "./frames";
import { Ghosts, type GhostStyle } from "./ghosts";
import { Gizmo } from "./gizmo";
import { Jaws } from "./jaws";
import { Model } from "./model";
import { OtherArms } from "./other-arms";
import { Paths, type PathStyle, type PointMm } from "./paths";
import { inherited, type Layer, onScreen, pickAt, type Picked, watchClicks } from "./picking";
import { Showing } from "./showing";
import { Stage, type ViewFrom } from "./stage";
import { Triad } from "./triad";
import { UserFrames } from "./user-frames";

export type { GhostStyle } from "./ghosts";
export type { GizmoOptions } from "./gizmo";
export type { PathStyle, PointMm } from "./paths";
export type { Picked } from "./picking";
export type { JointMark, Showing } from "./showing";
export type { Aim, ViewFrom } from "./stage";

const TRIAD_PER_REACH = 0.16;
/** The base frame stands inside the foot, so its arrows are longer. */
const BASE_TRIAD = 1.5;
const TURN_DEG = 8;
const ZOOM = 1.12;

export class Viewer {
  /** Handles to drag the tool, a node or a body by. */
  readonly gizmo: Gizmo;
  /** The arms that are not selected. */
  readonly others: OtherArms;
  /** What is shown to others: x-ray, labels, tape, pictures. */
  readonly showing: Showing;
  readonly #canvas: HTMLCanvasElement;
  readonly #stage: Stage;
  readonly #sizes: ResizeObserver;
  readonly #overlays = new Map<string, Group>();
  readonly #triads: Triad[] = [];
  readonly #pickers = new Set<(picked: Picked) => boolean>();
  readonly #paths: Paths;
  readonly #ghosts: Ghosts;
  readonly #userFrames: UserFrames;
  readonly #jaws: Jaws;
  readonly #stops: (() => void)[];
  #arm: Model | null = null;
  #bodies: Model | null = null;
  #everyFrame = false;
  /** Whether the arm has just changed places with another: what follows its links has yet to go there. */
  #isSwapped = false;
  #reach = 1;
  #frames: ArrayLike<number> = [];
  #bodyFrames: ArrayLike<number> = [];
  #handheld: { readonly name: string; readonly pose: Pose } | null = null;
  #lit: ReadonlySet<string> = new Set();
  #selected: Selected | null = null;
  #warned: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  /** Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#stage = new Stage(canvas, isCalm);
    this.#jaws = new Jaws(
      () => this.#stage.drawMoved(),
      isCalm,
      (travelM) => (canvas.dataset.jaws = (travelM * 1000).toFixed(1)),
    );
    this.#paths = new Paths(this.overlay("paths"), (css) => this.colour(css));
    this.#ghosts = new Ghosts(this.overlay("ghosts"), (css) => this.colour(css));
    this.others = new OtherArms(this.#stage.world);
    this.#userFrames = new UserFrames(this.overlay("frames"));
    this.gizmo = new Gizmo(this.#stage, canvas);
    this.showing = new Showing(
      this.#stage,
      (name) => this.overlay(name),
      this.#paths,
      (css) => this.colour(css),
    );
    this.#sizes = new ResizeObserver(() => this.#resize());
    this.#sizes.observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.#stage.draw());
    this.#stops = [watchClicks(canvas, (event) => this.#click(event))];
    this.repaint();
  }

  /** Return the group of that name for things of a panel's own: z up, metres; made when first asked for. */
  overlay(name: string): Group {
    const known = this.#overlays.get(name);
    if (known !== undefined) return known;
    const group = new Group();
    group.name = name;
    this.#overlays.set(name, group);
    this.#stage.world.add(group);
    return group;
  }

  /** Draw soon; call it after a change in an overlay. Many calls make one picture. */
  requestDraw(): void {
    this.#stage.drawMoved();
  }

  /** Return a colour by CSS text or by token ("--accent"), as it holds now. */
  colour(css: string): Color {
    const text = css.startsWith("--") ? getComputedStyle(this.#canvas).getPropertyValue(css).trim() : css;
    return new Color(text);
  }

  /** Draw a line through points (mm); fewer than two points take it away. */
  path(name: string, points: readonly PointMm[], style: PathStyle): void {
    this.#paths.set(name, points, style);
    this.#stage.draw();
  }

  /** Show copies of the arm at `frames` (each as `live.frames`); an empty list takes the set away. */
  ghosts(name: string, frames: readonly ArrayLike<number>[], style: GhostStyle = {}): void {
    this.#ghosts.set(name, frames, style);
    this.#stage.draw();
  }

  /** Tell whether a set of ghosts is shown: those of the arm before go when another shape comes. */
  hasGhosts(name: string): boolean {
    return this.#ghosts.has(name);
  }

  /** Light up links (and bodies) by name, until it is called again. */
  highlight(names: readonly string[]): void {
    this.#lit = new Set(names);
    this.#light();
  }

  /** Tint the links that something is wrong with, of every arm by its name; the selected arm's is "". */
  warn(links: ReadonlyMap<string, ReadonlySet<string>>): void {
    this.#warned = links;
    this.#canvas.dataset.warned = [...links.values()].flatMap((names) => [...names]).join(", ");
    this.#light();
  }

  /** Light up what is selected. */
  showSelected(selected: Selected | null): void {
    this.#selected = selected;
    this.#light();
  }

  /** Where a point (mm) is on the screen, px; null behind the camera. */
  onScreen(point: readonly [number, number, number]): readonly [number, number] | null {
    return onScreen(this.#stage, this.#canvas, point);
  }

  /** Hear of clicks in the view before others do; return true to keep one. Call the result to stop. */
  onPick(hear: (picked: Picked) => boolean): () => void {
    this.#pickers.add(hear);
    return () => this.#pickers.delete(hear);
  }

  /** Show another arm, standing as `frames` say; look at it from the corner where it is the first, or another one. */
  async showArm(glb: ArrayBuffer, names: readonly string[], isCurrent: () => boolean): Promise<boolean> {
    const model = await Model.read(glb, names);
    if (!isCurrent()) {
      model.dispose();
      return false;
    }
    this.#arm?.dispose();
    this.#arm = model;
    this.#stage.world.add(model.group);
    this.#ghosts.changeArm(model);
    this.#jaws.changeArm(model);
    this.showing.changeArm(model);
    this.#light();
    return true;
  }

  /** Let an arm that is shown as `key` be the selected one; the one before stays in the view under its own name. */
  swapArm(before: { readonly name: string; readonly key: string }, name: string, key: string): boolean {
    const model = this.others.take(name, key);
    if (model === null) return false;
    if (this.#arm !== null) this.others.put(before.name, { key: before.key, model: this.#arm });
    this.#arm = model;
    this.#isSwapped = true;
    this.#ghosts.changeArm(model);
    this.#jaws.changeArm(model);
    this.showing.changeArm(model);
    this.#light();
    return true;
  }

  /** Move the arms that are not selected to where states say. */
  placeOthers(frames: ReadonlyMap<string, ArrayLike<number>>): void {
    if (this.others.place(frames)) this.#stage.drawMoved();
  }

  /** Show other bodies; null takes them away. */
  async showBodies(
    glb: ArrayBuffer | null,
    names: readonly string[],
    isCurrent: () => boolean,
  ): Promise<void> {
    const model = glb === null ? null : await Model.read(glb, names, "matt");
    if (!isCurrent()) {
      model?.dispose();
      return;
    }
    this.#bodies?.dispose();
    this.#bodies = model;
    if (model !== null) this.#stage.world.add(model.group);
    this.#bodies?.hold(this.#handheld);
    this.#light();
    this.#stage.drawMoved();
  }

  /** Move links and bodies to where a state says (7 numbers each); draws only if something has moved. */
  place(frames: ArrayLike<number>, bodies: ArrayLike<number>): void {
    const armMoved = (this.#arm?.place(frames) ?? false) || this.#isSwapped;
    this.#isSwapped = false;
    this.#frames = frames;
    const bodiesMoved = this.#bodies?.place(bodies) ?? false;
    this.#bodyFrames = bodies;
    if (armMoved) {
      this.#placeTriads(frames);
      this.showing.place(frames);
      this.gizmo.setBase(frames);
    }
    if (armMoved || bodiesMoved) this.#stage.drawMoved();
  }

  /** Show a body at a pose, wherever the simulation has it, until this is called with null. */
  holdBody(name: string, pose: Pose | null): void {
    this.#handheld = pose === null ? null : { name, pose };
    this.#bodies?.hold(this.#handheld);
    this.#bodies?.place(this.#bodyFrames);
    this.#stage.drawMoved();
  }

  /** Close each jaw of the gripper by so much (mm), as quickly as a gripper does; 0 opens them. */
  closeJaws(travelMm: number): void {
    this.#jaws.close(travelMm / 1000);
  }

  /** Show the frame of every link, or only those of base and tool. */
  showEveryFrame(every: boolean): void {
    this.#everyFrame = every;
    this.#showTriads();
    this.#stage.draw();
  }

  /** Show the frames of the project, the chosen one larger. */
  showUserFrames(frames: readonly UserFrame[], chosen: string): void {
    this.#userFrames.set(frames, chosen, this.#reach, readColours(this.#canvas));
    this.#canvas.dataset.frames = frames.map(({ name }) => name).join(", ");
    this.#stage.draw();
  }

  /** Say how big the arm is (mm): the arrows of the frames suit it. */
  setReach(reachMm: number): void {
    if (this.#reach === reachMm / 1000) return;
    this.#reach = reachMm / 1000;
    for (const triad of this.#triads.splice(0)) triad.dispose();
    this.#placeTriads(this.#frames);
    this.#userFrames.again(this.#reach, readColours(this.#canvas));
    this.#stage.draw();
  }

  /** Look at the whole arm and at what stands around it, as they are now. */
  lookFrom(from: ViewFrom): void {
    const around = [...(this.#bodies?.group.children ?? []), ...this.others.groups];
    if (this.#arm !== null) this.#stage.measure(this.#arm.group, around);
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
      "0": () => this.lookFrom("here"),
    };
    const move = moves[key];
    move?.();
    return move !== undefined;
  }

  /** Whether all that has changed is drawn, as finely as the screen shows it. */
  get isSettled(): boolean {
    return this.#stage.isSettled;
  }

  /** Read the page's colours again. */
  repaint(): void {
    const colours = readColours(this.#canvas);
    this.#stage.paint(colours);
    this.gizmo.paint(colours);
    for (const triad of this.#triads) triad.paint(colours);
    this.#userFrames.again(this.#reach, colours);
    this.#paths.repaint();
    this.#ghosts.repaint();
    this.showing.repaint();
    this.#light();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#sizes.disconnect();
    this.gizmo.dispose();
    this.#arm?.dispose();
    this.#bodies?.dispose();
    this.others.dispose();
    for (const triad of this.#triads) triad.dispose();
    this.#userFrames.dispose();
    this.#stage.dispose();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    this.#paths.resize(width, height);
    this.#stage.resize(width, height);
  }

  #light(): void {
    const accent = this.colour("--accent");
    const chosen = this.#selected;
    const link =
      chosen?.kind === "tool" ? this.#arm?.names.at(-1) : chosen?.kind === "link" ? chosen.name : null;
    this.#arm?.highlight(new Set([...this.#lit, link ?? ""]), accent);
    const body = chosen?.kind === "body" ? chosen.name : "";
    this.#bodies?.highlight(new Set([...this.#lit, body]), accent);
    const alarm = this.colour("--stop");
    this.#arm?.warn(this.#warned.get("") ?? new Set(), alarm);
    this.others.warn(this.#warned, alarm);
    this.#stage.draw();
  }

  #click(event: PointerEvent): void {
    if (this.gizmo.isTouched) return;
    const found = pickAt(this.#stage, this.#canvas, event, this.#layers());
    const picked: Picked = { ...found, client: [event.clientX, event.clientY] };
    if (picked.kind === "ghost" && this.#ghosts.choose(picked.name, picked.index)) return;
    for (const hear of [...this.#pickers].reverse()) if (hear(picked)) return;
  }

  #layers(): Layer[] {
    const layers: Layer[] = [];
    const named = (kind: "link" | "body") => (hit: Parameters<Layer["name"]>[0]) => {
      const name = inherited(hit, "part");
      return typeof name === "string" ? { kind, name, index: 0 } : null;
    };
    if (this.#arm !== null) layers.push({ root: this.#arm.group, name: named("link") });
    if (this.#bodies !== null) layers.push({ root: this.#bodies.group, name: named("body") });
    layers.push(...this.others.layers());
    for (const group of this.#overlays.values()) layers.push({ root: group, name: overlayName });
    return layers;
  }

  #placeTriads(frames: ArrayLike<number>): void {
    const count = this.#arm?.names.length ?? 0;
    while (this.#triads.length > count) this.#triads.pop()?.dispose();
    while (this.#triads.length < count) this.#addTriad();
    this.#triads.forEach((triad, index) => placeAt(triad.group, frames, index));
    this.#showTriads();
  }

  #addTriad(): void {
    const isBase = this.#triads.length === 0;
    const triad = new Triad(this.#reach * TRIAD_PER_REACH * (isBase ? BASE_TRIAD : 1));
    triad.paint(readColours(this.#canvas));
    this.#triads.push(triad);
    this.overlay("triads").add(triad.group);
  }

  #showTriads(): void {
    this.#triads.forEach((triad, index) => {
      triad.group.visible = this.#everyFrame || index === 0 || index === this.#triads.length - 1;
    });
  }
}

/** In an overlay, a ghost says of which set it is; other objects can be hit if they carry userData.pick, a name. */
function overlayName(hit: Parameters<Layer["name"]>[0]): ReturnType<Layer["name"]> {
  const ghost = inherited(hit, "ghost") as { name: string; index: number } | undefined;
  if (ghost !== undefined) return { kind: "ghost", ...ghost };
  const pick = inherited(hit, "pick");
  return typeof pick === "string" ? { kind: "overlay", name: pick, index: 0 } : null;
}
