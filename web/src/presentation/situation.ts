/** A situation as text for an address: the project with where the arm stands, and where the camera is. */

import type { Project } from "../protocol.gen";
import { isProject } from "../saved";
import type { Aim } from "../viewer/viewer";

/** Letters of a link: every browser, and most messengers, take as many. */
export const MOST_LETTERS = 30_000;
/** Bytes of what is packed in it: as much as the server takes. */
const MOST_BYTES = 1_000_000;
const FARTHEST_M = 10_000;
const DIGITS = 4;

export interface Situation {
  readonly project: Project;
  readonly aim: Aim | null;
}

/** Return the situation as letters that an address can hold, however many these are. */
export async function packed({ project, aim }: Situation): Promise<string> {
  const numbers = aim?.map((value) => Number(value.toFixed(DIGITS))) ?? null;
  const text = JSON.stringify({ project, aim: numbers });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Return what `packed` made of a situation; null for anything else. */
export async function unpacked(letters: string): Promise<Situation | null> {
  if (letters.length > MOST_LETTERS) return null;
  try {
    const plain = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    const text = await bounded(
      new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")),
    );
    const value: unknown = text === null ? null : JSON.parse(text);
    if (typeof value !== "object" || value === null || !("project" in value)) return null;
    return isProject(value.project)
      ? { project: value.project, aim: "aim" in value ? aimOf(value.aim) : null }
      : null;
  } catch {
    return null;
  }
}

/** Return the text of a stream, or null where it has too much of it: a few letters may unpack to gigabytes. */
async function bounded(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Return six numbers that a camera can have, or null. */
function aimOf(value: unknown): Aim | null {
  if (!Array.isArray(value)) return null;
  const isUsable = (one: unknown): one is number => typeof one === "number" && Math.abs(one) < FARTHEST_M;
  const [x, y, z, tx, ty, tz] = value.filter(isUsable);
  if (value.length !== 6 || x === undefined || y === undefined || z === undefined) return null;
  return tx === undefined || ty === undefined || tz === undefined ? null : [x, y, z, tx, ty, tz];
}
