/** Opening scenarios: those of armlab, files, or a new one; and saving what is here. */

import { useEffect, useRef } from "preact/hooks";
import { builtinNotes, builtinTitle, t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import {
  beginScenario,
  isBusy,
  loadRows,
  openFile,
  openScenario,
  rows,
  rowsFailure,
  saveScenario,
} from "./acts";

/** Buttons at the end of the bar: open, save. */
export function FileButtons() {
  useEffect(() => void loadRows(), []);
  return (
    <div class="scenario-files" role="group" aria-label={t("scenario.files.label")}>
      <select
        aria-label={t("scenario.files.open")}
        value=""
        disabled={isBusy.value}
        onChange={(event) => {
          const { value } = event.currentTarget;
          event.currentTarget.value = "";
          if (value === "/new") void beginScenario();
          else if (value !== "") void openScenario(value);
        }}
      >
        <option value="">{t("scenario.files.open")}</option>
        {(rows.value ?? []).map(({ name, title }) => (
          <option key={name} value={name}>
            {builtinTitle("scenario", name, title)}
          </option>
        ))}
        <option value="/new">{t("scenario.files.new")}</option>
      </select>
      <FileButton isSmall />
      <IconButton icon="download" label={t("scenario.files.save")} onClick={saveScenario} />
    </div>
  );
}

function FileButton({ isSmall }: { isSmall: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {isSmall ? (
        <IconButton icon="upload" label={t("scenario.files.file")} onClick={() => input.current?.click()} />
      ) : (
        <button type="button" onClick={() => input.current?.click()}>
          {t("scenario.files.file")}
        </button>
      )}
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        aria-label={t("scenario.files.file")}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file !== undefined) void openFile(file);
        }}
      />
    </>
  );
}

/** What is shown as long as there is no scenario: what one is, and how to get one. */
export function Beginning() {
  useEffect(() => void loadRows(), []);
  return (
    <div class="scenario-beginning">
      <p>{t("scenario.none")}</p>
      {rowsFailure.value !== null && (
        <FailureNote failure={rowsFailure.value} onRetry={() => void loadRows()} />
      )}
      <ul class="scenario-cards">
        {(rows.value ?? []).map(({ name, title, notes, steps }) => (
          <li key={name}>
            <button
              type="button"
              data-scenario={name}
              disabled={isBusy.value}
              onClick={() => void openScenario(name)}
            >
              <span class="scenario-card-title">{builtinTitle("scenario", name, title)}</span>
              <span class="hint">
                {t("scenario.run.count", { n: steps })}
                {notes !== "" && ` · ${builtinNotes(name, notes)}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="primary" onClick={() => void beginScenario()}>
          <span class="scenario-act">
            <Icon name="add" />
            {t("scenario.files.new")}
          </span>
        </button>
        <FileButton isSmall={false} />
      </div>
    </div>
  );
}
