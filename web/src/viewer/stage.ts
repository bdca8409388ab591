/** Renderer, camera, light and floor: everything in the view but the arm. Drawn only when something changed. */

import {
  Box3,
  type Color,
  DirectionalLight,
  HemisphereLight,
  MathUtils,
  NeutralToneMapping,
  type Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Sphere,
  Spherical,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { ViewColours } from "./colours";
import { Floor } from "./floor";
import { toYUp, zUpGroup } from "./frames";
import { isSoftware, Quality } from "./quality";

/** Where a camera is and what it looks at: x y z of both, metres, y up. */
export type Aim = readonly [number, number, number, number, number, number];

/** "here" keeps the direction that the camera looks in. */
export type ViewFrom = "corner" | "front" | "side" | "top" | "here";

/** Where the camera looks from, in armlab's axes: x ahead, z up. */
const DIRECTIONS: Readonly<Record<Exclude<ViewFrom, "here">, Vector3>> = {
  corner: toYUp(0.78, -1, 0.42),
  front: toYUp(1, 0, 0.08),
  side: toYUp(0, -1, 0.08),
  top: toYUp(0, -0.001, 1),
};
const MARGIN = 1.16;
/** A box is seen as it is, and needs less room than the sphere that the arm may reach into. */
const SNUG = 1.06;
/** The arm stands a little above the middle, clear of the buttons below. */
const LIFT = 0.1;
const SHADOW_TEXELS = 1024;
/** More device pixels per CSS pixel than this nobody sees. */
const FINEST = 2;
/** Without a graphics card pictures take the processor's time: no more than 30 a second, at least so far apart. */
const SOFTWARE_MS = 30;
/** What has not moved for so long is at rest. */
const AT_REST_MS = 180;
/** A floor, or a wall far away, is no part of the picture: what is larger than the arm this many times. */
const MOST_AROUND = 1.8;

export class Stage {
  /** What is put in here stands on the floor with z up. */
  readonly world = zUpGroup();
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(36, 1, 0.01, 60);
  readonly #renderer: WebGLRenderer;
  readonly #controls: OrbitControls;
  readonly #floor = new Floor();
  readonly #sky = new HemisphereLight();
  readonly #sun = new DirectionalLight(0xffffff);
  readonly #fill = new DirectionalLight(0xffffff);
  readonly #bounds = new Sphere(new Vector3(0, 0.4, 0), 0.7);
  /** The arm with what stands around it; null where it stands alone. */
  #around: Box3 | null = null;
  #drawing = 0;
  readonly #quality: Quality;
  readonly #leastMs: number;
  #drawn = -Infinity;
  #sharpening: ReturnType<typeof setTimeout> | undefined;
  #moved = 0;

  constructor(canvas: HTMLCanvasElement, calm: boolean) {
    const software = isSoftware();
    this.#quality = new Quality(software);
    this.#leastMs = software ? SOFTWARE_MS : 0;
    this.#renderer = new WebGLRenderer({ canvas, antialias: !software, alpha: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, FINEST));
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.shadowMap.autoUpdate = false; // the shadow moves with the arm, not with the camera
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(SHADOW_TEXELS, SHADOW_TEXELS);
    this.#sun.shadow.radius = 5;
    this.#sun.shadow.bias = -0.0006;
    this.#sun.shadow.normalBias = 0.01;
    this.scene.add(this.world, this.#floor.group, this.#sky, this.#sun, this.#sun.target, this.#fill);
    this.#controls = new OrbitControls(this.camera, canvas);
    this.#controls.enableDamping = !calm;
    this.#controls.maxPolarAngle = MathUtils.degToRad(100);
    this.#controls.addEventListener("change", () => this.draw());
  }

  /** Draw the next picture soon; many calls make one picture. */
  draw(): void {
    if (this.#drawing !== 0) return;
    this.#drawing = requestAnimationFrame((now) => {
      this.#drawing = 0;
      if (now - this.#drawn < this.#leastMs) {
        this.draw();
        return;
      }
      this.#drawn = now;
      this.#quality.note(performance.now());
      this.#setPixels(this.#quality.level.pixels);
      this.#controls.update();
      this.#renderer.render(this.scene, this.camera);
      this.#sharpenSoon();
    });
  }

  /** Whether all that has changed is drawn, as finely as the screen shows it. */
  get isSettled(): boolean {
    return this.#drawing === 0 && this.#sharpening === undefined;
  }

  /** Draw what has come to rest as finely as the screen shows it. */
  #sharpenSoon(): void {
    clearTimeout(this.#sharpening);
    this.#sharpening = undefined;
    if (this.#quality.index === 0) return;
    this.#sharpening = setTimeout(() => {
      this.#sharpening = undefined;
      this.drawFine();
    }, AT_REST_MS);
  }

  #setPixels(most: number): void {
    const ratio = Math.min(devicePixelRatio, most);
    if (ratio !== this.#renderer.getPixelRatio()) this.#renderer.setPixelRatio(ratio);
  }

  /** Where the camera is and what it looks at: x y z of both, metres, y up. */
  get aim(): Aim {
    const { x, y, z } = this.camera.position;
    const { target } = this.#controls;
    return [x, y, z, target.x, target.y, target.z];
  }

  set aim([x, y, z, tx, ty, tz]: Aim) {
    this.camera.position.set(x, y, z);
    this.#controls.target.set(tx, ty, tz);
    this.draw();
  }

  /** Draw behind everything in a colour; null lets the page show through. */
  set backdrop(colour: Color | null) {
    this.scene.background = colour;
    this.draw();
  }

  /** Draw now, as finely as the screen shows it, and return the canvas while the picture is in it. */
  drawFine(): HTMLCanvasElement {
    this.#setPixels(FINEST);
    this.#renderer.shadowMap.needsUpdate = true;
    this.#renderer.render(this.scene, this.camera);
    return this.#renderer.domElement;
  }

  /** Let the pointer turn the view, or leave it to others. */
  allowTurning(isAllowed: boolean): void {
    this.#controls.enabled = isAllowed;
  }

  /** Draw soon, with the shadow of what has moved. */
  drawMoved(): void {
    const { shadowEvery } = this.#quality.level;
    this.#moved += 1;
    if (shadowEvery > 0 && this.#moved % shadowEvery === 0) this.#renderer.shadowMap.needsUpdate = true;
    this.draw();
  }

  resize(width: number, height: number): void {
    if (width === 0 || height === 0) return;
    this.#renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  paint(colours: ViewColours): void {
    this.#floor.paint(colours);
    this.#sky.color.copy(colours.sky);
    this.#sky.groundColor.copy(colours.ground);
    this.#sky.intensity = 1.9 * colours.light;
    this.#sun.intensity = 2.1 * colours.light;
    this.#fill.intensity = 0.8 * colours.light;
    this.draw();
  }

  /** Set light, floor and zoom limits for the arm, and for those things around it that do not dwarf it. */
  measure(arm: Object3D, around: readonly Object3D[]): void {
    this.scene.updateMatrixWorld(true);
    const box = new Box3().setFromObject(arm);
    box.expandByPoint(new Vector3(0, 0, 0));
    const most = box.getSize(new Vector3()).length() * MOST_AROUND;
    const middle = box.getCenter(new Vector3());
    for (const thing of around) {
      const its = new Box3().setFromObject(thing);
      const isNear = its.getSize(new Vector3()).length() < most && its.distanceToPoint(middle) < most;
      if (isNear) box.union(its);
    }
    this.#around = around.length > 0 ? box : null;
    box.getBoundingSphere(this.#bounds);
    const { center, radius } = this.#bounds;
    this.#floor.scaleTo(radius);
    this.#controls.minDistance = radius * 0.4;
    this.#controls.maxDistance = radius * 12;
    this.#sun.position.copy(center).addScaledVector(toYUp(0.6, -0.5, 1.3), radius * 3);
    this.#sun.target.position.copy(center);
    this.#fill.position.copy(center).addScaledVector(toYUp(-0.7, 1, 0.3), radius * 3);
    const { camera } = this.#sun.shadow;
    const span = radius * 2.4;
    [camera.left, camera.right, camera.top, camera.bottom, camera.far] = [
      -span,
      span,
      span,
      -span,
      radius * 12,
    ];
    camera.updateProjectionMatrix();
    this.drawMoved();
  }

  /** Look at the whole arm from one side. */
  lookFrom(from: ViewFrom): void {
    const { center, radius } = this.#bounds;
    const tangent = Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    const { aspect } = this.camera;
    const target = center.clone();
    target.y -= radius * LIFT;
    const now = this.camera.position.clone().sub(this.#controls.target);
    const direction = (from === "here" ? now : DIRECTIONS[from].clone()).normalize();
    const round = (radius * MARGIN) / Math.sin(Math.atan(tangent * Math.min(1, aspect)));
    const distance =
      this.#around === null ? round : distanceTo(this.#around, target, direction, tangent, aspect) * SNUG;
    this.#controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.draw();
  }

  /** Turn the camera about the arm by degrees, and bring it nearer by a factor. */
  orbit(azimuth: number, elevation: number, nearer: number): void {
    const { target, minDistance, maxDistance, maxPolarAngle } = this.#controls;
    const around = new Spherical().setFromVector3(this.camera.position.clone().sub(target));
    around.theta += MathUtils.degToRad(azimuth);
    around.phi = MathUtils.clamp(around.phi - MathUtils.degToRad(elevation), 0.01, maxPolarAngle);
    around.radius = MathUtils.clamp(around.radius / nearer, minDistance, maxDistance);
    this.camera.position.setFromSpherical(around).add(target);
    this.draw();
  }

  dispose(): void {
    cancelAnimationFrame(this.#drawing);
    clearTimeout(this.#sharpening);
    this.#controls.dispose();
    this.#renderer.dispose();
  }
}

/** Return how far from `target` a camera in `direction` must be to see all corners of a box. */
export function distanceTo(
  box: Box3,
  target: Vector3,
  direction: Vector3,
  tangent: number,
  aspect: number,
): number {
  const right = new Vector3(0, 1, 0).cross(direction).normalize();
  const up = direction.clone().cross(right);
  let distance = 0;
  for (let i = 0; i < 8; i++) {
    const pick = (bit: number, axis: "x" | "y" | "z"): number => (i & bit ? box.max : box.min)[axis];
    const corner = new Vector3(pick(1, "x"), pick(2, "y"), pick(4, "z")).sub(target);
    const aside = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / aspect);
    distance = Math.max(distance, corner.dot(direction) + aside / tangent);
  }
  return distance;
}
