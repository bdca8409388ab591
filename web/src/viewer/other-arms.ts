/** The arms that are not selected, in the view: shown, placed, and changed with the selected one without a flicker. */

import { Color, type Object3D } from "three";
import { Model } from "./model";
import { inherited, type Layer } from "./picking";

/** A model, and the key of the shape that it was read from. */
export interface Shown {
  readonly key: string;
  readonly model: Model;
}

const DARK = new Color(0, 0, 0);

/** The links that something is wrong with, by the arms' names, and the colour that says so. */
interface Warned {
  readonly links: ReadonlyMap<string, ReadonlySet<string>>;
  readonly colour: Color;
}

export class OtherArms {
  readonly #world: Object3D;
  readonly #shown = new Map<string, Shown>();
  /** What is being read, so that nothing is read twice. */
  readonly #reading = new Map<string, string>();

  #warned: Warned = { links: new Map(), colour: DARK };

  constructor(world: Object3D) {
    this.#world = world;
  }

  /** Show the arm called `name`; return whether something new is shown. */
  async show(
    name: string,
    key: string,
    glb: ArrayBuffer,
    links: readonly string[],
    isCurrent: () => boolean,
  ): Promise<boolean> {
    if (this.#shown.get(name)?.key === key || this.#reading.get(name) === key) return false;
    this.#reading.set(name, key);
    const model = await Model.read(glb, links);
    if (this.#reading.get(name) === key) this.#reading.delete(name);
    if (!isCurrent() || this.#shown.get(name)?.key === key) {
      model.dispose();
      return false;
    }
    this.put(name, { key, model });
    return true;
  }

  /** Take the arm of that name out, without giving its memory back; null where it is not shown as `key` says. */
  take(name: string, key: string): Model | null {
    const found = this.#shown.get(name);
    if (found?.key !== key) return null;
    this.#shown.delete(name);
    return found.model;
  }

  /** Put a model in the place of what is called so. */
  put(name: string, shown: Shown): void {
    this.#shown.get(name)?.model.dispose();
    shown.model.highlight(new Set(), DARK);
    this.#tint(name, shown.model);
    this.#shown.set(name, shown);
    this.#world.add(shown.model.group);
  }

  /** Keep these arms, and no others; return whether one went. */
  keep(names: ReadonlySet<string>): boolean {
    const gone = [...this.#shown].filter(([name]) => !names.has(name));
    for (const [name, { model }] of gone) {
      model.dispose();
      this.#shown.delete(name);
    }
    return gone.length > 0;
  }

  /** Tint links of the arms of these names, and of no others. */
  warn(links: ReadonlyMap<string, ReadonlySet<string>>, colour: Color): void {
    this.#warned = { links, colour };
    for (const [name, { model }] of this.#shown) this.#tint(name, model);
  }

  #tint(name: string, model: Model): void {
    model.warn(this.#warned.links.get(name) ?? new Set(), this.#warned.colour);
  }

  /** Move links to where states say; return whether anything has moved. */
  place(frames: ReadonlyMap<string, ArrayLike<number>>): boolean {
    let hasMoved = false;
    for (const [name, { model }] of this.#shown) {
      const at = frames.get(name);
      if (at !== undefined && model.place(at)) hasMoved = true;
    }
    return hasMoved;
  }

  /** What the camera should show. */
  get groups(): readonly Object3D[] {
    return [...this.#shown.values()].map(({ model }) => model.group);
  }

  /** What can be hit: an arm, by its name. */
  layers(): Layer[] {
    return [...this.#shown].map(([name, { model }]) => ({
      root: model.group,
      name: (hit) => (inherited(hit, "part") === undefined ? null : { kind: "arm", name, index: 0 }),
    }));
  }

  dispose(): void {
    this.keep(new Set());
  }
}
