/** Transparent copies of the arm where it is not: other solutions, saved poses, the nearest reachable pose. */

import { Color, type Group, MeshLambertMaterial } from "three";
import type { Model } from "./model";

export interface GhostStyle {
  /** CSS colours or tokens; `chosen` is that of the chosen one. */
  readonly colour?: string;
  readonly chosenColour?: string;
  readonly opacity?: number;
  readonly chosenOpacity?: number;
  /** Which one is chosen; it stands out. */
  readonly chosen?: number;
  /** Called when one is clicked in the view. */
  readonly onChoose?: (index: number) => void;
}

interface Kept {
  readonly frames: readonly ArrayLike<number>[];
  readonly style: GhostStyle;
  readonly models: readonly Model[];
  readonly materials: readonly MeshLambertMaterial[];
}

export class Ghosts {
  readonly #group: Group;
  readonly #colour: (css: string) => Color;
  readonly #sets = new Map<string, Kept>();
  #arm: Model | null = null;

  constructor(group: Group, colour: (css: string) => Color) {
    this.#group = group;
    this.#colour = colour;
  }

  /** Show copies of the arm at `frames` (each 7 numbers per link, metres, as `live.frames`); none clears the set. */
  set(name: string, frames: readonly ArrayLike<number>[], style: GhostStyle): void {
    const known = this.#sets.get(name);
    if (known?.style === style && known.models.length === frames.length) {
      known.models.forEach((model, index) => model.place(frames[index] ?? []));
      this.#sets.set(name, { ...known, frames }); // the same ghosts, elsewhere
      return;
    }
    this.#drop(name);
    if (frames.length === 0) {
      this.#sets.delete(name);
      return;
    }
    const shown =
      this.#arm === null ? { models: [], materials: [] } : this.#show(this.#arm, name, frames, style);
    this.#sets.set(name, { frames, style, ...shown });
  }

  /** Another arm stands on the bench: its ghosts are not known yet. */
  changeArm(arm: Model | null): void {
    for (const name of [...this.#sets.keys()]) this.set(name, [], {});
    this.#arm = arm;
  }

  has(name: string): boolean {
    return this.#sets.has(name);
  }

  repaint(): void {
    for (const [name, { frames, style }] of [...this.#sets]) this.set(name, frames, { ...style });
  }

  /** Tell the set's owner that one of its ghosts was clicked; return whether anybody wants to know. */
  choose(name: string, index: number): boolean {
    const onChoose = this.#sets.get(name)?.style.onChoose;
    onChoose?.(index);
    return onChoose !== undefined;
  }

  #show(arm: Model, name: string, frames: readonly ArrayLike<number>[], style: GhostStyle) {
    const plain = this.#material(style.colour ?? "--text-quiet", style.opacity ?? 0.22);
    const bright = this.#material(style.chosenColour ?? "--accent", style.chosenOpacity ?? 0.55);
    const models = frames.map((places, index) => {
      const ghost = arm.cloneIn(index === style.chosen ? bright : plain);
      ghost.place(places);
      ghost.group.userData.ghost = { name, index };
      this.#group.add(ghost.group);
      return ghost;
    });
    return { models, materials: [plain, bright] };
  }

  #material(colour: string, opacity: number): MeshLambertMaterial {
    const material = new MeshLambertMaterial({
      transparent: true,
      opacity,
      depthWrite: false,
      polygonOffset: true, // where a ghost and the arm coincide, the arm is in front
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    material.color.copy(this.#colour(colour));
    return material;
  }

  #drop(name: string): void {
    const kept = this.#sets.get(name);
    for (const model of kept?.models ?? []) model.dispose();
    for (const material of kept?.materials ?? []) material.dispose();
  }
}
