/** Lines between the two nearest points of parts, with their distance, and red marks where parts touch. */

import {
  BufferGeometry,
  CanvasTexture,
  type Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  SphereGeometry,
  Sprite,
  SRGBColorSpace,
  SpriteMaterial,
  Vector3,
} from "three";
import type { ProximityPair } from "../../protocol.gen";
import type { Viewer } from "../../viewer/viewer";

const MARK = new SphereGeometry(0.012, 16, 12);
const POINT = new SphereGeometry(0.004, 10, 8);
/** How high a label is, as a share of what the camera sees one metre away; it does not shrink with distance. */
const LABEL_HEIGHT = 0.026;
const TEXT_PX = 44;
const ON_TOP = 9;

/** Draw `lines` with their labels in the place of those drawn before. */
export function drawTouches(
  viewer: Viewer,
  lines: readonly ProximityPair[],
  labels: readonly string[],
): void {
  const group = viewer.overlay("scene.touches");
  clear(group);
  lines.forEach((touch, i) => add(viewer, group, touch, labels[i] ?? ""));
  viewer.requestDraw();
}

function add(viewer: Viewer, group: Group, touch: ProximityPair, label: string): void {
  const from = metres(touch.p_first);
  const to = metres(touch.p_second);
  const isContact = touch.distance <= 0;
  const colour = viewer.colour(isContact ? "--stop" : "--warm");
  const middle = from.clone().add(to).multiplyScalar(0.5);
  if (isContact) {
    group.add(ball(MARK, colour.getStyle(), middle, 0.85));
    return;
  }
  const line = new Line(
    new BufferGeometry().setFromPoints([from, to]),
    new LineBasicMaterial({ color: colour, depthTest: false }),
  );
  line.renderOrder = ON_TOP;
  group.add(line, ball(POINT, colour.getStyle(), from, 1), ball(POINT, colour.getStyle(), to, 1));
  group.add(labelAt(viewer, label, middle));
}

function ball(shape: SphereGeometry, colour: string, at: Vector3, opacity: number): Object3D {
  const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity });
  const mesh = new Mesh(shape, material);
  mesh.position.copy(at);
  mesh.renderOrder = ON_TOP;
  return mesh;
}

/** A small plate with a text on it, always of the same size on the screen. */
function labelAt(viewer: Viewer, text: string, at: Vector3): Sprite {
  const canvas = document.createElement("canvas");
  const font = `600 ${TEXT_PX}px system-ui, sans-serif`;
  const measure = canvas.getContext("2d");
  if (measure !== null) measure.font = font;
  canvas.width = Math.ceil((measure?.measureText(text).width ?? 100) + TEXT_PX * 0.8);
  canvas.height = Math.ceil(TEXT_PX * 1.5);
  const paint = canvas.getContext("2d");
  if (paint !== null) {
    paint.fillStyle = viewer.colour("--surface").getStyle();
    paint.beginPath();
    paint.roundRect(0, 0, canvas.width, canvas.height, TEXT_PX * 0.35);
    paint.fill();
    paint.font = font;
    paint.fillStyle = viewer.colour("--warm").getStyle();
    paint.textBaseline = "middle";
    paint.textAlign = "center";
    paint.fillText(text, canvas.width / 2, canvas.height / 2 + 2);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const material = new SpriteMaterial({ map, depthTest: false, sizeAttenuation: false, toneMapped: false });
  const sprite = new Sprite(material);
  sprite.scale.set((LABEL_HEIGHT * canvas.width) / canvas.height, LABEL_HEIGHT, 1);
  sprite.center.set(0.5, -0.35);
  sprite.position.copy(at);
  sprite.renderOrder = ON_TOP + 1;
  return sprite;
}

function clear(group: Group): void {
  for (const child of [...group.children]) {
    child.removeFromParent();
    if (child instanceof Line) (child.geometry as BufferGeometry).dispose();
    if (child instanceof Sprite) child.material.map?.dispose();
    if (child instanceof Mesh || child instanceof Line || child instanceof Sprite)
      (child.material as LineBasicMaterial | MeshBasicMaterial | SpriteMaterial).dispose();
  }
}

function metres([x, y, z]: readonly [number, number, number]): Vector3 {
  return new Vector3(x / 1000, y / 1000, z / 1000);
}
