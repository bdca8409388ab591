/** The arm's derivation, and its open sections with the numbers of where the arm is. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson } from "../../api";
import { language } from "../../i18n";
import { latestWins } from "../../latest";
import { followSlow } from "../../live";
import { recall, remember } from "../../memory";
import { type OwnJoints, ownJoints, questionAt } from "../../own-joints";
import { project } from "../../project";
import type { DerivationPage, FormulaSection } from "../../protocol.gen";
import { session } from "../../session";

export const page = signal<DerivationPage | null>(null);
export const failure = signal<Failure | null>(null);
export const busy = signal(false);
/** Sections as they are at this pose, by name. */
export const current = signal<ReadonlyMap<string, FormulaSection>>(new Map());
/** The joint values that `current` belongs to. */
export const shownQ = signal<readonly number[]>([]);

const FIRST_OPEN: readonly string[] = ["tool"];
/** Whether every formula is followed by the same with numbers in the place of its letters. */
export const putIn = signal(recall("panel.mathematics.putIn") === "yes");
/** The inverse problem has no numbers of a pose, unless they are put into its formulas. */
const STILL = new Set(["inverse"]);
/** A simulated joint trembles by less, in its unit. */
const TREMBLE = 2e-3;
const kept = recall("panel.mathematics.open");
export const open = signal<ReadonlySet<string>>(new Set(kept === null ? FIRST_OPEN : kept.split(",")));

/** Changes with what the derivation says: the arm, and the language. */
const armKey = computed(() =>
  project.value === null ? "null" : JSON.stringify([project.value.arm, language.value]),
);
let derivedFor = "";

const pageAsker = latestWins(
  ({ name }: { name: string; key: string }) => fetchJson<DerivationPage>(`api/sessions/${name}/derivation`),
  (answer, { key }) => {
    batch(() => {
      derivedFor = key;
      page.value = answer;
      current.value = new Map();
      shownQ.value = [];
      busy.value = false;
    });
  },
  (reason) => {
    batch(() => {
      failure.value = asFailure(reason);
      busy.value = false;
    });
  },
);

interface Question extends OwnJoints {
  readonly name: string;
  readonly sections: string;
  readonly put: boolean;
}

const numbersAsker = latestWins(
  ({ name, sections, put, ...at }: Question) =>
    fetchJson<DerivationPage>(
      `api/sessions/${name}/derivation/at?sections=${sections}&${questionAt(at)}&put_in=${put}`,
    ),
  ({ sections }, { q, sections: names, put }) => {
    batch(() => {
      asked = keyOf(names, put);
      current.value = new Map([
        ...current.peek(),
        ...sections.map((section): [string, FormulaSection] => [section.id, section]),
      ]);
      shownQ.value = q;
    });
  },
  () => undefined, // the next state asks again; a lost server is told by the page's banner
);
let asked = "";
/** Where the arm was when it was last looked at: where it still is, it rests. */
let seenQ: readonly number[] = [];
const keyOf = (sections: string, put: boolean): string => `${sections} ${put}`;

/** Put numbers into every formula, or take them out. */
export function putNumbersIn(put: boolean): void {
  remember("panel.mathematics.putIn", put ? "yes" : "no");
  putIn.value = put;
}

export function toggle(id: string): void {
  const next = new Set(open.value);
  if (!next.delete(id)) next.add(id);
  open.value = next;
  remember("panel.mathematics.open", [...next].join(","));
}

/** Ask for the derivation again. */
export function derive(): void {
  const key = armKey.peek();
  if (session.peek() === "" || key === "null") return;
  batch(() => {
    failure.value = null;
    busy.value = true;
  });
  pageAsker.ask({ name: session.peek(), key });
}

/** Follow the arm until the result is called. */
export function follow(): () => void {
  const stops = [
    effect(() => {
      const key = armKey.value;
      if (session.value === "" || key === "null" || key === derivedFor) return;
      page.value = null;
      derive();
    }),
    effect(askNumbers),
  ];
  return () => {
    for (const stop of stops) stop();
    numbersAsker.forget();
    asked = "";
  };
}

/** Ten times a second at most, only for open sections, and only when the arm has moved; once it rests, for exactly where
 * it is. */
function askNumbers(): void {
  followSlow();
  const derivation = page.value;
  if (derivation === null || document.hidden || armKey.peek() !== derivedFor) return;
  const own = ownJoints();
  if (own === null) return;
  const put = putIn.value;
  const names = derivation.sections
    .map(({ id }) => id)
    .filter((id) => open.value.has(id) && (put || !STILL.has(id)));
  const sections = names.join(",");
  const { q } = own;
  const isResting = !hasMoved(q, seenQ, 0);
  seenQ = q;
  const isShown = keyOf(sections, put) === asked && !hasMoved(q, shownQ.peek(), isResting ? 0 : TREMBLE);
  if (names.length === 0 || isShown) return;
  numbersAsker.ask({ name: session.peek(), sections, put, ...own });
}

/** Tell whether some joint stands elsewhere, by more than it trembles, or than `by`. */
export function hasMoved(now: readonly number[], before: readonly number[], by = TREMBLE): boolean {
  return now.length !== before.length || now.some((value, i) => Math.abs(value - (before[i] ?? 0)) > by);
}
