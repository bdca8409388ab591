/** `<StopButton />`: stops all motion at once. The head has one, and each dialog: it makes everything else inert. */

import { stop } from "../acts";
import { t } from "../i18n";
import { Icon } from "./icon";

export function StopButton() {
  return (
    <button type="button" class="stop-button" title={t("stop.hint")} onClick={stop}>
      <Icon name="stop" />
      <span>{t("stop.label")}</span>
    </button>
  );
}
