/** Help: what the workbench is, its keys, and the last messages. */

import { language, t } from "../i18n";
import { Dialog } from "../parts/dialog";
import { said } from "../toasts";
import { restartGuide } from "./guide";

const KEYS: readonly (readonly [string, string])[] = [
  ["Esc", "help.keys.stop"],
  ["Ctrl Z", "help.keys.undo"],
  ["Ctrl Shift Z", "help.keys.redo"],
  ["P", "help.keys.present"],
  ["← → ↑ ↓", "help.keys.turn"],
  ["+ −", "help.keys.zoom"],
  ["0", "help.keys.fit"],
  ["← →", "help.keys.slider"],
  ["Shift ← →", "help.keys.fine"],
];

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      title={t("help.title")}
      open={open}
      onClose={onClose}
      wide
      actions={
        <button
          type="button"
          onClick={() => {
            onClose();
            restartGuide();
          }}
        >
          {t("welcome.again")}
        </button>
      }
    >
      <div class="help-text">
        <p>{t("help.intro")}</p>
        <ul>
          {(["view", "jog", "panels", "edit", "keep"] as const).map((what) => (
            <li key={what}>{t(`help.${what}`)}</li>
          ))}
        </ul>
        <h3>{t("structure.label")}</h3>
        <ul>
          {(["hierarchy", "joints", "articulation"] as const).map((structure) => (
            <li key={structure}>
              <b>{t(`structure.${structure}`)}</b>: {t(`structure.${structure}Hint`)}
            </li>
          ))}
        </ul>
        <h3>{t("help.keys")}</h3>
        <dl class="help-keys">
          {KEYS.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{t(what)}</dd>
            </div>
          ))}
        </dl>
        <h3>{t("said.title")}</h3>
        <Said />
      </div>
    </Dialog>
  );
}

/** What was said in the corner of the view, with its time: it goes away there before everybody has read it. */
function Said() {
  const clock = new Intl.DateTimeFormat(language.value, { timeStyle: "medium", hourCycle: "h23" });
  if (said.value.length === 0) return <p class="quiet">{t("said.none")}</p>;
  return (
    <ol class="said">
      {said.value.map(({ id, kind, text, at }) => (
        <li key={id} data-kind={kind}>
          <time dateTime={new Date(at).toISOString()}>{clock.format(at)}</time>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
