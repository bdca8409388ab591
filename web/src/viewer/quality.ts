/** How finely pictures are drawn while something moves: coarser where they come too slowly, finer again where there is
 * time to spare. What stands still is always drawn as finely as the screen can show it. */

/** Device pixels per CSS pixel at most, and how many pictures share a shadow; 0: it is not drawn again while moving. */
export interface Level {
  readonly pixels: number;
  readonly shadowEvery: number;
}

export const LEVELS: readonly Level[] = [
  { pixels: 2, shadowEvery: 1 },
  { pixels: 1, shadowEvery: 1 },
  { pixels: 1, shadowEvery: 4 },
  { pixels: 0.75, shadowEvery: 8 },
  { pixels: 0.5, shadowEvery: 0 },
  { pixels: 0.35, shadowEvery: 0 },
];
/** The best level without a graphics card. */
export const SOFTWARE_LEVEL = 3;
/** Slower than 24 pictures a second is too slow, faster than 50 leaves time for more. */
const SLOW_MS = 1000 / 24;
const QUICK_MS = 1000 / 50;
/** Without a graphics card there are 30 at most: nearly as many leave time. */
const SOFTWARE_QUICK_MS = 1000 / 28;
/** Two pictures that are farther apart are not of one motion. */
const PAUSE_MS = 400;
/** As many intervals are looked at before anything is changed for the worse, and for the better. */
const SOON = 8;
const LATE = 150;

export class Quality {
  readonly #best: number;
  readonly #quickMs: number;
  #level: number;
  #last = -Infinity;
  #sum = 0;
  #count = 0;

  constructor(software = false) {
    this.#best = software ? SOFTWARE_LEVEL : 0;
    this.#quickMs = software ? SOFTWARE_QUICK_MS : QUICK_MS;
    this.#level = this.#best;
  }

  get level(): Level {
    return LEVELS[this.#level] ?? LEVELS[0] ?? { pixels: 1, shadowEvery: 1 };
  }

  /** How many steps it is below the best. */
  get index(): number {
    return this.#level;
  }

  /** Take the time of a picture (ms); return whether the next ones are drawn at another level. */
  note(now: number): boolean {
    const interval = now - this.#last;
    this.#last = now;
    if (interval > PAUSE_MS) return this.#begin(this.#level);
    this.#sum += interval;
    this.#count += 1;
    const mean = this.#sum / this.#count;
    if (this.#count >= SOON && mean > SLOW_MS) return this.#begin(this.#level + 1);
    if (this.#count >= LATE) return this.#begin(mean < this.#quickMs ? this.#level - 1 : this.#level);
    return false;
  }

  #begin(wanted: number): boolean {
    const before = this.#level;
    this.#sum = this.#count = 0;
    this.#level = Math.min(Math.max(wanted, this.#best), LEVELS.length - 1);
    return this.#level !== before;
  }
}

/** Tell whether pictures are computed without a graphics card: then smooth edges cost too much. */
export function isSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const names = probe?.getExtension("WEBGL_debug_renderer_info");
  if (probe === null || names == null) return false;
  const name = String(probe.getParameter(names.UNMASKED_RENDERER_WEBGL));
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
