/** `<Toasts />`: what `say(kind, text)` of toasts.ts has said; read aloud politely. The workbench has one. */

import { t } from "../i18n";
import { dismiss, toasts } from "../toasts";
import { IconButton } from "./icon-button";

export function Toasts() {
  return (
    <div class="toasts" role="log" aria-live="polite" aria-label={t("toasts.label")}>
      {toasts.value.map(({ id, kind, text, action }) => (
        <div key={id} class="toast" data-kind={kind}>
          <p>{text}</p>
          {action !== null && (
            <button
              type="button"
              onClick={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.text}
            </button>
          )}
          <IconButton icon="close" label={t("toasts.dismiss")} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
