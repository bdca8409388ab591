/** Words in the view: always turned to the camera, in front of everything, and part of every picture of it. */

import { CanvasTexture, type Color, Sprite, SpriteMaterial, SRGBColorSpace } from "three";

/** Pixels of the letters in the texture, and the room around them. */
const LETTER_PX = 56;
const ROOM_PX = 20;
const FONT = `600 ${LETTER_PX}px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif`;
/** What share of the view's height a line of words takes, at a camera of 36°. */
const SHARE = 0.042 * 2 * Math.tan((18 * Math.PI) / 180);

export interface WordStyle {
  readonly ink: Color;
  readonly paper: Color;
  /** Times the usual size. */
  readonly size?: number;
  /** Where its place is in it: 0 is its lower or left edge, 1 its upper or right one. */
  readonly anchor?: readonly [number, number];
}

/** Return a sign with words on it; its place is its `position`. */
export function wordSprite(text: string, { ink, paper, size = 1, anchor = [0.5, 0.5] }: WordStyle): Sprite {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const height = LETTER_PX + 2 * ROOM_PX;
  if (pen !== null) {
    pen.font = FONT;
    canvas.width = Math.ceil(pen.measureText(text).width) + 2 * ROOM_PX;
    canvas.height = height;
    pen.font = FONT; // a canvas forgets it with its size
    pen.textBaseline = "middle";
    pen.fillStyle = paper.getStyle();
    pen.globalAlpha = 0.86;
    pen.beginPath();
    pen.roundRect(0, 0, canvas.width, height, ROOM_PX);
    pen.fill();
    pen.globalAlpha = 1;
    pen.fillStyle = ink.getStyle();
    pen.fillText(text, ROOM_PX, height / 2 + 2);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  const material = new SpriteMaterial({
    map: texture,
    depthTest: false,
    sizeAttenuation: false,
    toneMapped: false,
  });
  const sprite = new Sprite(material);
  sprite.scale.set((SHARE * size * canvas.width) / height, SHARE * size, 1);
  sprite.center.set(...anchor);
  sprite.renderOrder = 10;
  sprite.name = text;
  return sprite;
}

export function disposeSprite(sprite: Sprite): void {
  sprite.removeFromParent();
  sprite.material.map?.dispose();
  sprite.material.dispose();
}
