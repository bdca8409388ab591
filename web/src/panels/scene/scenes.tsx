/** The scenes that come with armlab: one click puts one on the bench, and undo takes it away again. */

import { useEffect } from "preact/hooks";
import { builtinTitle, t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { loadScenes, opening, openScene, scenes, scenesFailure } from "./acts";

export function Scenes() {
  useEffect(() => void loadScenes(), []);
  const rows = scenes.value;
  if (scenesFailure.value !== null)
    return <FailureNote failure={scenesFailure.value} onRetry={() => void loadScenes()} />;
  if (rows === null) return <p class="quiet">{t("scene.scenes.loading")}</p>;
  return (
    <ul class="scene-scenes">
      {rows.map(({ name, title, arm, arms, bodies }) => (
        <li key={name}>
          <button
            type="button"
            data-scene={name}
            disabled={opening.value !== ""}
            aria-busy={opening.value === name}
            onClick={() => void openScene(name)}
          >
            <span class="scene-scene-title">{builtinTitle("scene", name, title)}</span>
            <span class="scene-scene-facts">
              {arms > 1 ? t("scene.scenes.arms", { n: arms }) : (arm ?? t("scene.scenes.anyArm"))} ·{" "}
              {t("scene.scenes.bodies", { n: bodies })}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
