/** Picking and placing by hand: what the tool holds, what it could take, and bringing the tool there. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { moveTool, pick, place } from "../../acts";
import { dragged, holding, sentenceOf, takeFailures } from "../../events";
import { number, t, unit } from "../../i18n";
import { followSlow, live } from "../../live";
import { Icon } from "../../parts/icon";
import { project } from "../../project";
import { toolPose } from "../../poses";
import type { BodyTable, Failed } from "../../protocol.gen";
import { isSelected } from "../../selection";
import { boundsOf, isFixed } from "./bodies";
import { placeNow } from "./handles";

const NEAREST = "";
/** mm above a body: near enough to pick it, not so near that the tool pushes it. */
const ABOVE = 20;
const chosen = signal(NEAREST);
const failed = signal<Failed | null>(null);
/** The number of the last move to a body; its answer says whether it can be reached. */
const asked = signal(-1);

export function Hold() {
  useEffect(() => {
    const stops = [takeFailures("pick", hear), takeFailures("place", hear)];
    return () => stops.forEach((stop) => stop());
  }, []);
  const loose = (project.value?.bodies ?? []).filter((body) => !isFixed(body));
  const held = holding.value;
  if (loose.length === 0) return <p class="quiet">{t("scene.hold.none")}</p>;
  return (
    <div class="scene-hold">
      <p class="scene-held" data-held={held ?? ""} role="status">
        <Icon name="tool" />
        {held === null ? t("scene.hold.empty") : t("scene.hold.holds", { name: held })}
      </p>
      <Choice loose={loose} />
      <div class="row">
        <button type="button" class="primary" disabled={held !== null} onClick={pickNow}>
          {t("scene.hold.pick")}
        </button>
        <button type="button" disabled={held === null} onClick={placeNowIt}>
          {t("scene.hold.place")}
        </button>
        <button type="button" disabled={held !== null} onClick={() => approach(loose)}>
          {t("scene.hold.approach")}
        </button>
      </div>
      <Problem />
    </div>
  );
}

function Choice({ loose }: { loose: readonly BodyTable[] }) {
  followSlow();
  const isThere = loose.some((body) => body.name === chosen.value);
  return (
    <label class="field">
      <span class="field-label">{t("scene.hold.which")}</span>
      <select
        value={isThere ? chosen.value : NEAREST}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
          failed.value = null;
        }}
      >
        <option value={NEAREST}>{t("scene.hold.nearest")}</option>
        {loose.map(({ name }) => (
          <option key={name} value={name}>
            {name} · {distanceText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Problem() {
  const answer = dragged.value;
  const failure = failed.value;
  let text = failure === null ? "" : sentenceOf(failure.code, failure.message);
  if (answer !== null && answer.sequence === asked.value && !answer.reached)
    text = t("scene.hold.unreached", { why: answer.message });
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

function hear(event: Failed): void {
  failed.value = event;
}

function pickNow(): void {
  failed.value = null;
  asked.value = -1;
  pick(chosen.value === NEAREST ? null : chosen.value);
}

function placeNowIt(): void {
  failed.value = null;
  place();
}

/** Bring the tool over the body, pointing down as it is turned now. */
function approach(loose: readonly BodyTable[]): void {
  failed.value = null;
  const body = loose.find(({ name }) => name === chosen.value) ?? nearestOf(loose);
  const pose = body === undefined ? null : placeNow(body.name);
  if (body === undefined || pose === null) return;
  const box = boundsOf({ ...body, xyz: [pose[0], pose[1], pose[2]], rpy: [pose[5], pose[4], pose[3]] });
  const top = box?.upper[2] ?? pose[2];
  asked.value = moveTool([pose[0], pose[1], top + ABOVE, toolPose(live.frames)?.[3] ?? 0, 0, 180]);
}

function nearestOf(loose: readonly BodyTable[]): BodyTable | undefined {
  const selected = loose.find(({ name }) => isSelected("body", name));
  return selected ?? [...loose].sort((a, b) => distance(a.name) - distance(b.name))[0];
}

function distance(name: string): number {
  const at = placeNow(name);
  const tool = toolPose(live.frames);
  if (at === null || tool === null) return Infinity;
  return Math.hypot(at[0] - tool[0], at[1] - tool[1], at[2] - tool[2]);
}

function distanceText(name: string): string {
  const away = distance(name);
  return Number.isFinite(away) ? `${number(away, 0)} ${unit("mm")}` : "–";
}
