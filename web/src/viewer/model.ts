/** The arm's shape: a GLB with one node per link becomes one movable object per link. */

import { Color, type Material, Mesh, MeshStandardMaterial, Object3D } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { FrameReport } from "../protocol.gen";
import { placeAt } from "./frames";

/** Metal without a room to mirror is black, and a room is dear to compute: so metal is half lacquer here. */
const METAL = 0.4;
/** Even black lacquer has a sheen; without it, black parts look like holes on a dark page. */
const SHEEN = 0.03;
const WHITE = new Color(1, 1, 1);

export class ArmModel {
  /** Holds the links side by side: each is placed in world coordinates, none hangs on another. */
  readonly group = new Object3D();
  readonly #links = new Map<string, Object3D>();

  private constructor(scene: Object3D) {
    for (const node of namedNodes(scene)) {
      this.#links.set(nodeName(node), node);
      this.group.add(node);
    }
    this.group.traverse((part) => {
      part.castShadow = true;
      part.receiveShadow = true;
    });
    for (const material of this.#materials()) {
      if (!(material instanceof MeshStandardMaterial)) continue;
      material.metalness *= METAL;
      material.color.lerp(WHITE, SHEEN);
    }
  }

  /** Return the model in `glb`; a broken file rejects. */
  static async read(glb: ArrayBuffer): Promise<ArmModel> {
    const { scene } = await new GLTFLoader().parseAsync(glb, "");
    return new ArmModel(scene);
  }

  /** Move every link to its frame; a frame without a shape is passed over. */
  place(frames: readonly FrameReport[]): void {
    for (const frame of frames) {
      const link = this.#links.get(frame.name);
      if (link !== undefined) placeAt(link, frame);
    }
  }

  /** Give the memory of the graphics card back. */
  dispose(): void {
    for (const material of this.#materials()) material.dispose();
    for (const mesh of this.#meshes()) mesh.geometry.dispose();
  }

  #meshes(): Mesh[] {
    const found: Mesh[] = [];
    this.group.traverse((part) => {
      if (part instanceof Mesh) found.push(part as Mesh);
    });
    return found;
  }

  #materials(): Set<Material> {
    return new Set(this.#meshes().flatMap((mesh) => mesh.material));
  }
}

/** Return the link nodes: the uppermost named nodes below the scene's roots. */
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
