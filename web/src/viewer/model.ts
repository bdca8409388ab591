/** Shapes from a GLB with one node per name: each becomes a movable object. Arms and bodies are both such models. */

import { Color, type Material, Mesh, MeshStandardMaterial, Object3D } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { Pose } from "../poses";
import { NUMBERS_PER_FRAME, placeAt, placeAtPose } from "./frames";

/** Metal without a room to mirror is black, and a room is dear to compute: so metal is half lacquer here. */
const METAL = 0.4;
/** Even black lacquer has a sheen; without it, black parts look like holes on a dark page. */
const SHEEN = 0.03;
const WHITE = new Color(1, 1, 1);
/** Things that stand around are matt: a floor that shines is all one sees. */
const MATT = 0.9;
/** How much of its colour a part that is lit up takes on; a pale colour would wash it out. */
const LIT = { dark: 0.55, pale: 0.26 } as const;
const BLACK = new Color(0, 0, 0);

/** Parts that are shown in a colour. */
interface Light {
  readonly names: ReadonlySet<string>;
  readonly colour: Color;
}

/** How much of the warning's colour a part takes on: light alone would not show on white lacquer. */
const TINT = 0.7;
/** How near two states may be to be the same picture. */
const STILL = 2e-6;

export class Model {
  /** Holds the parts side by side: each is placed in world coordinates, none hangs on another. */
  readonly group = new Object3D();
  /** The names in the order of the frames. */
  readonly names: readonly string[];
  readonly #parts = new Map<string, Object3D>();
  readonly #own: boolean;
  #placed = new Float32Array(0);
  #held = "";
  #lit: Light = { names: new Set(), colour: BLACK };
  /** Shown over what is lit up. */
  #warned: Light = { names: new Set(), colour: BLACK };

  private constructor(parts: ReadonlyMap<string, Object3D>, names: readonly string[], own: boolean) {
    this.names = names;
    this.#own = own;
    for (const [name, part] of parts) {
      part.userData.part = name;
      this.#parts.set(name, part);
      this.group.add(part);
    }
  }

  /** Return the model in `glb`; a broken file rejects. */
  static async read(
    glb: ArrayBuffer,
    names: readonly string[],
    finish: "lacquer" | "matt" = "lacquer",
  ): Promise<Model> {
    const { scene } = await new GLTFLoader().parseAsync(glb, "");
    const parts = new Map(namedNodes(scene).map((node) => [nodeName(node), node]));
    const model = new Model(parts, names, true);
    for (const mesh of model.meshes()) {
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      const finished = (material: Material): Material => lacquered(material, finish === "matt" ? MATT : 0);
      mesh.material = Array.isArray(mesh.material) ? mesh.material.map(finished) : finished(mesh.material);
    }
    return model;
  }

  /** Return a copy that shares the geometry, all in one material. */
  cloneIn(material: Material): Model {
    const parts = new Map([...this.#parts].map(([name, part]) => [name, part.clone(true)]));
    const copy = new Model(parts, this.names, false);
    for (const mesh of copy.meshes()) {
      mesh.material = material;
      mesh.castShadow = false;
      mesh.receiveShadow = false;
    }
    return copy;
  }

  /** Move every part to its frame; return whether anything has moved. */
  place(frames: ArrayLike<number>): boolean {
    const count = this.names.length * NUMBERS_PER_FRAME;
    if (frames.length < count || this.#isPlacedAt(frames, count)) return false;
    this.#placed = Float32Array.from({ length: count }, (_, i) => frames[i] ?? 0);
    this.names.forEach((name, index) => {
      const part = this.#parts.get(name);
      if (part !== undefined && name !== this.#held) placeAt(part, frames, index);
    });
    return true;
  }

  /** Keep one part at a pose, whatever the frames say; null lets it go where they say next. */
  hold(handheld: { readonly name: string; readonly pose: Pose } | null): void {
    if (handheld?.name !== this.#held) this.#placed = new Float32Array(0);
    this.#held = handheld?.name ?? "";
    const part = this.#parts.get(this.#held);
    if (part !== undefined && handheld !== null) placeAtPose(part, handheld.pose);
  }

  /** Move each jaw of a gripper by so much (m) in the direction that it closes in. */
  closeJaws(travelM: number): void {
    this.group.traverse((node) => {
      const direction: unknown = node.userData.jaw;
      if (!Array.isArray(direction)) return;
      const [x, y, z] = direction.map(Number);
      node.position.set(x ?? 0, y ?? 0, z ?? 0).multiplyScalar(travelM);
    });
  }

  /** Return the object of one part. */
  part(name: string): Object3D | undefined {
    return this.#parts.get(name);
  }

  /** Light some parts up, and no others. */
  highlight(names: ReadonlySet<string>, colour: Color): void {
    this.#lit = { names, colour };
    this.#shine();
  }

  /** Tint the parts that something is wrong with, and no others, lit up or not. */
  warn(names: ReadonlySet<string>, colour: Color): void {
    this.#warned = { names, colour };
    this.#shine();
  }

  #shine(): void {
    for (const [name, part] of this.#parts) {
      const isWarned = this.#warned.names.has(name);
      const light = [this.#warned, this.#lit].find(({ names }) => names.has(name));
      part.traverse((node) => {
        if (!(node instanceof Mesh)) return;
        const { material } = node as Mesh;
        for (const one of [material].flat()) {
          if (!(one instanceof MeshStandardMaterial)) continue;
          one.emissive.copy(light?.colour ?? BLACK);
          one.emissiveIntensity = light === undefined ? 0 : levelOf(light);
          one.color.lerpColors(paintOf(one), this.#warned.colour, isWarned ? TINT : 0);
        }
      });
    }
  }

  /** Make all parts transparent, so that what is inside shows, or solid again. */
  setTransparent(isTransparent: boolean, opacity: number): void {
    for (const mesh of this.meshes()) {
      mesh.castShadow = !isTransparent;
      for (const material of [mesh.material].flat()) {
        material.transparent = isTransparent;
        material.opacity = isTransparent ? opacity : 1;
        material.depthWrite = !isTransparent;
        material.needsUpdate = true;
      }
    }
  }

  /** Give the memory of the graphics card back; a copy's geometry belongs to the original. */
  dispose(): void {
    this.group.removeFromParent();
    if (!this.#own) return;
    for (const mesh of this.meshes()) {
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
    }
  }

  meshes(): Mesh[] {
    const found: Mesh[] = [];
    this.group.traverse((node) => {
      if (node instanceof Mesh) found.push(node as Mesh);
    });
    return found;
  }

  #isPlacedAt(frames: ArrayLike<number>, count: number): boolean {
    if (this.#placed.length !== count) return false;
    return this.#placed.every((value, i) => Math.abs(value - (frames[i] ?? 0)) < STILL);
  }
}

/** Return the colour that a material has where nothing tints it. */
function paintOf(material: MeshStandardMaterial): Color {
  const known: unknown = material.userData.paint;
  if (known instanceof Color) return known;
  const paint = material.color.clone();
  material.userData.paint = paint;
  return paint;
}

function levelOf({ colour }: Light): number {
  return colour.r + colour.g + colour.b > 0.9 ? LIT.pale : LIT.dark;
}

/** Return a material of the part's own, so that one part alone can light up. */
function lacquered(material: Material, roughness: number): Material {
  const own = material.clone();
  if (own instanceof MeshStandardMaterial) {
    own.metalness *= METAL;
    own.roughness = Math.max(own.roughness, roughness);
    own.color.lerp(WHITE, SHEEN);
  }
  return own;
}

/** Return the nodes of parts: the uppermost named nodes below the scene's roots. */
function namedNodes(scene: Object3D): Object3D[] {
  const roots = [...scene.children];
  const only = roots.length === 1 ? roots[0] : undefined;
  return only !== undefined && only.children.length > 0 && !(only instanceof Mesh)
    ? [...only.children]
    : roots;
}

/** The loader rewrites names that its animation paths cannot hold; the file's own name stays in userData. */
function nodeName(node: Object3D): string {
  const original: unknown = node.userData.name;
  return typeof original === "string" ? original : node.name;
}
