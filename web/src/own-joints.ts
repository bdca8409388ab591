/** Whether the newest state belongs to the document: joints of an older revision may be those of another arm. */

import { live } from "./live";
import { doc } from "./project";

/** Digits of joint values (°, mm) in a question. */
const DIGITS = 3;

/** Joint values of the arm as one revision of the project has it. */
export interface OwnJoints {
  readonly q: readonly number[];
  readonly revision: number;
}

/** Tell whether the newest state is of the revision that the document has: the only rule for this. In a component or an
 * effect, it follows the document; states must be followed by whoever asks. */
export function isCurrent(): boolean {
  return doc.value !== null && live.revision === doc.value.revision && live.q.length > 0;
}

/** Return where the document's arm is, or null until a state of this revision came. */
export function ownJoints(): OwnJoints | null {
  if (!isCurrent()) return null;
  return { q: [...live.q].map((value) => Number(value.toFixed(DIGITS))), revision: live.revision };
}

/** Return joints as parts of a question; where the project has changed until it is heard, it is not answered. */
export function questionAt({ q, revision }: OwnJoints): string {
  return `q=${q.join(",")}&revision=${revision}`;
}
