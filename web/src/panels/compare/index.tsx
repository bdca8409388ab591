/** Compare: the same command to the arm in all three physics models; three ghosts, and curves side by side. */

import { useEffect } from "preact/hooks";
import { t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { CommandChoice, Settings } from "./settings";
import { failure, follow, isStale, playOn, result, run, share, stop } from "./state";
import { Result } from "./result";
import { showInView } from "./in-view";
import "./compare.css";

export default function ComparePanel() {
  useEffect(follow, []);
  useEffect(playOn, []);
  useEffect(showInView, []);
  useEffect(() => stop, []);
  return (
    <div class="compare">
      <div class="compare-columns">
        <section class="compare-asked" aria-label={t("compare.settings")}>
          <Run />
          <CommandChoice />
          <Settings />
        </section>
        <div class="compare-answer">
          {failure.value !== null && <FailureNote failure={failure.value} onRetry={() => void run()} />}
          {result.value === null ? <p class="quiet">{t("compare.none")}</p> : <Result />}
        </div>
      </div>
    </div>
  );
}

function Run() {
  const done = share.value;
  return (
    <div class="compare-run">
      {done === null ? (
        <button type="button" class="primary" onClick={() => void run()}>
          <Icon name="play" />
          {t("compare.run")}
        </button>
      ) : (
        <button type="button" onClick={stop}>
          <Icon name="stop" />
          {t("compare.stop")}
        </button>
      )}
      <Help text={t("compare.help")} about={t("compare.title")} />
      {done !== null && <progress value={done} max={1} aria-label={t("compare.running")} />}
      <span class="hint" role="status">
        {done !== null ? t("compare.running") : isStale.value ? t("compare.stale") : ""}
      </span>
    </div>
  );
}
