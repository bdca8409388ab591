/** Where a loose body is now, when it is no longer where the project has put it. */

import { number, t } from "../../i18n";
import { followSlow } from "../../live";
import { resetSimulation } from "../../acts";
import type { BodyTable } from "../../protocol.gen";
import { changeBody } from "./acts";
import { bodyAt, isFixed } from "./bodies";
import { placeNow } from "./handles";

const SAME_MM = 2;

export function Now({ body }: { body: BodyTable }) {
  followSlow();
  const pose = isFixed(body) ? null : placeNow(body.name);
  if (pose === null) return null;
  const away = Math.hypot(...body.xyz.map((value, i) => value - (pose[i] ?? 0)));
  if (away < SAME_MM) return null;
  const where = pose
    .slice(0, 3)
    .map((value) => number(value, 0))
    .join("  ");
  return (
    <div class="scene-now" data-away={away.toFixed(1)}>
      <p>{t("scene.now.text", { where })}</p>
      <div class="row">
        <button type="button" onClick={() => void changeBody(body.name, (before) => bodyAt(before, pose))}>
          {t("scene.now.save")}
        </button>
        <button type="button" onClick={resetSimulation}>
          {t("scene.now.reset")}
        </button>
      </div>
    </div>
  );
}
