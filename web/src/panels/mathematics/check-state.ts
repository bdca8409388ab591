/** A formula of the reader's own: what it is for, its text, and what the server says about it. */

import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson, postJson } from "../../api";
import { onLanguage } from "../../i18n";
import { latestWins } from "../../latest";
import { project } from "../../project";
import type { FormulaNames, FormulaReport } from "../../protocol.gen";
import { session } from "../../session";

export const quantity = signal("x");
export const text = signal("");
export const names = signal<FormulaNames | null>(null);
export const verdict = signal<FormulaReport | null>(null);
export const failure = signal<Failure | null>(null);
export const busy = signal(false);
/** The text that was judged: what is typed afterwards is not. */
export const judged = signal("");

const armKey = computed(() => JSON.stringify(project.value?.arm ?? null));

const namesAsker = latestWins(
  (name: string) => fetchJson<FormulaNames>(`api/sessions/${name}/formula`),
  (answer) => {
    names.value = answer;
    if (!answer.quantities.includes(quantity.peek())) quantity.value = "x";
  },
  (reason) => (failure.value = asFailure(reason)),
);

interface Question {
  readonly name: string;
  readonly quantity: string;
  readonly text: string;
}

const verdictAsker = latestWins(
  ({ name, ...body }: Question) => postJson<FormulaReport>(`api/sessions/${name}/formula`, body),
  (answer, asked) => settle(asked, () => (verdict.value = answer)),
  (reason, asked) => settle(asked, () => (failure.value = asFailure(reason))),
);

function settle(asked: Question, show: () => void): void {
  batch(() => {
    judged.value = asked.text;
    busy.value = false;
    forgetVerdict();
    show();
  });
}

function forgetVerdict(): void {
  verdict.value = null;
  failure.value = null;
}

/** Ask whether the formula is right. */
export function check(): void {
  if (text.peek().trim() === "" || session.peek() === "") return;
  busy.value = true;
  verdictAsker.ask({ name: session.peek(), quantity: quantity.peek(), text: text.peek() });
}

export function chooseQuantity(to: string): void {
  batch(() => {
    quantity.value = to;
    forgetVerdict();
  });
}

/** Follow the arm until the result is called: another arm has other names, and may have another answer. */
export function followArm(): () => void {
  return effect(() => {
    if (session.value === "" || armKey.value === "null") return;
    batch(() => {
      verdictAsker.forget();
      busy.value = false;
      forgetVerdict();
    });
    namesAsker.ask(session.value);
  });
}

onLanguage(() => {
  if (verdict.peek() !== null || failure.peek() !== null) check();
});
