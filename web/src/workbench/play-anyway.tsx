/** `<PlayAnyway code={…} onPlay={…} />`: the second question before a motion that exceeds limits or touches something. */

import { isAskedTwice, playAnyway } from "../acts";
import { t } from "../i18n";

export function PlayAnyway({ code, onPlay }: { code: string; onPlay: () => void }) {
  if (!isAskedTwice(code)) return null;
  return (
    <button
      type="button"
      onClick={() => {
        onPlay();
        playAnyway();
      }}
    >
      {t("player.anyway")}
    </button>
  );
}
