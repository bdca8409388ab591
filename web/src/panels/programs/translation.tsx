/** The program in another language, beside its text. */

import { effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchRobots, postJson } from "../../api";
import { number, t, unit } from "../../i18n";
import { latestWins } from "../../latest";
import { FailureNote } from "../../parts/failure";
import type {
  ProgramText,
  ProgramTranslation,
  RobotRow,
  TranslateQuestion,
  TranslationReport,
} from "../../protocol.gen";
import { session } from "../../session";
import { program, write } from "./state";

export type Target = TranslateQuestion["to"];
export const TARGETS: readonly Target[] = ["krl", "gcode", "python", "scenario", "urscript", "rapid"];
/** Languages that the editor has; a translated Python script is one for Python itself. */
const WRITABLE: readonly Target[] = ["krl", "gcode", "scenario"];

/** The language that is shown beside the text; null: none. */
export const target = signal<Target | null>(null);
/** The arm that will run it; empty: the session's. */
const arm = signal("");
const arms = signal<readonly RobotRow[]>([]);
/** Languages that only the arms of one maker run. */
const MADE: readonly Target[] = ["krl", "urscript", "rapid"];
const made = signal<TranslationReport | null>(null);
const failure = signal<Failure | null>(null);
const isWaiting = signal(false);

const asker = latestWins(
  (question: TranslateQuestion) =>
    postJson<ProgramTranslation>(
      `api/sessions/${encodeURIComponent(session.peek())}/program-translate`,
      question,
    ),
  (found) => {
    made.value = found.report;
    failure.value = null;
    isWaiting.value = false;
  },
  (reason) => {
    failure.value = asFailure(reason);
    isWaiting.value = false;
  },
);
let timer: ReturnType<typeof setTimeout> | undefined;
const WAIT_MS = 700;

effect(() => {
  const [to, text, by] = [target.value, program.value, arm.value === "" ? null : arm.value];
  clearTimeout(timer);
  if (to === null || session.value === "" || text.text.trim() === "") {
    made.value = null;
    return;
  }
  isWaiting.value = true;
  timer = setTimeout(() => asker.ask({ program: text, to, arm: by }), WAIT_MS);
});

effect(() => {
  if (target.value === null || !MADE.includes(target.value) || arms.peek().length > 0) return;
  fetchRobots().then(
    (rows) => (arms.value = rows),
    (reason: unknown) => (failure.value = asFailure(reason)),
  );
});

export function Translation() {
  const found = made.value;
  return (
    <section class="programs-translation" aria-label={t("programs.translation")} aria-busy={isWaiting.value}>
      <div class="programs-run">
        <select
          aria-label={t("programs.translate")}
          value={target.value ?? ""}
          onChange={(event) => (target.value = asTarget(event.currentTarget.value))}
        >
          <option value="">{t("programs.translate")}</option>
          {TARGETS.map((id) => (
            <option key={id} value={id}>
              {t(`programs.target.${id}`)}
            </option>
          ))}
        </select>
        {target.value !== null && MADE.includes(target.value) && <ArmChoice />}
        {found !== null && found.files.length > 0 && WRITABLE.includes(found.language) && (
          <button type="button" onClick={() => use(found)}>
            {t("programs.use")}
          </button>
        )}
        {found !== null && found.files.length > 0 && (
          <button type="button" onClick={() => save(found)}>
            {t("programs.download")}
          </button>
        )}
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {isWaiting.value && <p class="quiet">{t("programs.translating")}</p>}
      {found !== null && (
        <>
          {found.path_difference !== null && found.time_difference !== null && (
            <p class="quiet">
              {t("programs.same", {
                path: `${number(found.path_difference, 3)} ${unit("mm")}`,
                time: number(100 * found.time_difference, 2),
              })}
            </p>
          )}
          {found.findings
            .filter(({ severity }) => severity !== "note")
            .map(({ message }, i) => (
              <p key={i} data-level="warning">
                {message}
              </p>
            ))}
          <pre tabIndex={0} aria-label={t("programs.translation")}>
            {found.files.map(({ text }) => text ?? "").join("\n")}
          </pre>
        </>
      )}
    </section>
  );
}

function ArmChoice() {
  return (
    <select
      aria-label={t("programs.arm")}
      value={arm.value}
      onChange={(event) => (arm.value = event.currentTarget.value)}
    >
      <option value="">{t("programs.arm.own")}</option>
      {arms.value.map(({ name, title }) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}

function asTarget(text: string): Target | null {
  return TARGETS.find((id) => id === text) ?? null;
}

/** Put the translation in the place of the program. */
function use(found: TranslationReport): void {
  const language = WRITABLE.includes(found.language) ? (found.language as ProgramText["language"]) : null;
  if (language === null) return;
  target.value = null;
  const text = found.files
    .map((file) => file.text ?? "")
    .map(withoutHead)
    .join("\n");
  write({ language, text, dialect: "linuxcnc", inputs: program.peek().inputs });
}

/** A data list stands behind its module; its head would end the module. */
function withoutHead(text: string, index: number): string {
  return index === 0 ? text : text.replace(/^&.*\r?\n/gm, "");
}

function save(found: TranslationReport): void {
  for (const { name, text } of found.files) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text ?? ""], { type: "text/plain" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
