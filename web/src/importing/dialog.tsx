/** The dialog of an import: reading, why not, or the report with what can be chosen, and the way onto the bench. */

import { useId } from "preact/hooks";
import { t } from "../i18n";
import { Dialog } from "../parts/dialog";
import { FailureNote } from "../parts/failure";
import "./importing.css";
import { Report } from "./report";
import {
  choose,
  close,
  content,
  failure,
  files,
  given,
  isOpen,
  isReading,
  problem,
  putOnBench,
  reading,
  refusal,
} from "./state";

export function ImportDialog() {
  const made = content.value;
  const canUse = made !== null && failure.value === null && !isReading.value;
  const mustChoose = failure.value?.code === "import_several";
  const name = given.value?.name ?? "";
  return (
    <Dialog
      title={name === "" ? t("import.title") : t("import.titleOf", { name })}
      open={isOpen.value}
      onClose={close}
      wide
      actions={
        <>
          <button type="button" onClick={close}>
            {t("import.cancel")}
          </button>
          <button type="button" class="primary" disabled={!canUse} onClick={() => void putOnBench()}>
            {t("import.use")}
          </button>
        </>
      }
    >
      <div class="import" aria-busy={isReading.value}>
        <p class="import-state" role="status">
          {isReading.value ? t("import.reading") : mustChoose ? t("import.several") : ""}
        </p>
        {isReading.value && <progress aria-label={t("import.reading")} />}
        {problem.value !== null && <Problem text={t(problem.value)} />}
        {failure.value !== null && !isReading.value && !mustChoose && <FailureNote failure={failure.value} />}
        {refusal.value !== null && <FailureNote failure={refusal.value} />}
        {files.value.length > 0 && <FileChoice />}
        {made !== null && <Report made={made} isStale={failure.value !== null} />}
      </div>
    </Dialog>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div class="card" data-kind="error" role="alert">
      <p>{text}</p>
    </div>
  );
}

/** Several files may be the arm: which one? */
function FileChoice() {
  const id = useId();
  return (
    <div class="import-choice">
      <label for={id}>{t("import.file")}</label>
      <select
        id={id}
        value={reading.value.file ?? ""}
        onChange={(event) => choose({ file: event.currentTarget.value || null, tip: null, base: null })}
      >
        <option value="">{t("import.fileAuto")}</option>
        {files.value.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
