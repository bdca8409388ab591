/** The floor under the arm: a grid that fades with distance, and the arm's shadow. */

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";
import type { ViewColours } from "./colours";

/** From -1 to 1 in x and z; scaled to no more floor than is seen, because every pixel of it costs. */
const UNIT_PLANE = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);

const VERTEX = `
  varying vec2 place;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }
`;

// A line is as wide as one pixel wherever it is: fwidth says how far one pixel goes on the floor.
const FRAGMENT = `
  uniform vec3 minor;
  uniform vec3 major;
  uniform float cell;
  uniform float fade;
  varying vec2 place;
  float lines(float size) {
    vec2 unit = place / size;
    vec2 away = abs(fract(unit - 0.5) - 0.5) / fwidth(unit);
    return 1.0 - min(min(away.x, away.y), 1.0);
  }
  void main() {
    float coarse = lines(cell * 5.0);
    float strength = max(coarse, lines(cell) * 0.55);
    float near = 1.0 - smoothstep(fade * 0.25, fade, length(place));
    gl_FragColor = vec4(mix(minor, major, coarse), strength * near);
    #include <colorspace_fragment>
  }
`;

/** Return the side of a cell (m) for an arm of this size: 1, 2 or 5 of some unit, about an eighth of the radius. */
export function cellFor(radius: number): number {
  const wanted = Math.max(radius, 1e-3) / 8;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  return unit * (wanted < 1.5 * unit ? 1 : wanted < 3.5 * unit ? 2 : wanted < 7.5 * unit ? 5 : 10);
}

export class Floor {
  readonly group = new Group();
  readonly #shadow = new ShadowMaterial({ transparent: true });
  readonly #grid = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    polygonOffset: true, // on a floor that is a body of the scene, the lines are in front, also far away
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -4,
    side: DoubleSide,
    uniforms: {
      minor: { value: new Color() },
      major: { value: new Color() },
      cell: { value: 0.1 },
      fade: { value: 3 },
    },
  });

  readonly #shade = new Mesh(UNIT_PLANE, this.#shadow);
  readonly #lines = new Mesh(UNIT_PLANE, this.#grid);

  constructor() {
    this.#shade.receiveShadow = true;
    this.#shade.position.y = -0.001;
    this.group.add(this.#shade, this.#lines);
  }

  /** Use cells and a fading distance that suit an arm of this size. */
  scaleTo(radius: number): void {
    this.#set("cell", cellFor(radius));
    this.#set("fade", radius * 3.5);
    this.#lines.scale.setScalar(radius * 3.5);
    this.#shade.scale.setScalar(radius * 2.6);
  }

  paint(colours: ViewColours): void {
    this.#set("minor", colours.gridMinor);
    this.#set("major", colours.gridMajor);
    this.#shadow.opacity = colours.shadow;
  }

  #set(name: string, value: number | Color): void {
    const uniform = this.#grid.uniforms[name];
    if (uniform !== undefined) uniform.value = value;
  }
}
