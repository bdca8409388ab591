/** The saved poses: named, gone to, put in order, played one after the other. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { play } from "../../acts";
import { selectedArm } from "../../arms";
import { sheet } from "../../catalog";
import { sentenceOf, takeFailures } from "../../events";
import { t, unit } from "../../i18n";
import { Card } from "../../parts/card";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { layout, project } from "../../project";
import type { Failed, SavedPose } from "../../protocol.gen";
import { selection } from "../../selection";
import { isTyping } from "../../typing";
import { view } from "../../viewer/view";
import { PlayAnyway } from "../../workbench/play-anyway";
import { isLooping } from "../../workbench/player-bar";
import { ghost, showGhost } from "./ghost";
import { savePose, move, shortNames } from "./saved";
import { useOrder } from "./order";
import { hasObjects, PoseRow } from "./row";
import "./poses.css";

addEventListener("keydown", (event) => {
  if (event.code !== "KeyK" || event.repeat || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]") !== null) return;
  event.preventDefault();
  savePose();
});

export default function PosesPanel() {
  const poses = project.value?.poses ?? [];
  const problem = useSignal<Failed | null>(null);
  useEffect(() => takeFailures("play", (failed) => (problem.value = failed)), []);
  useEffect(() => {
    problem.value = null; // it was another arm's
  }, [selectedArm.value]);
  useGhost();
  return (
    <div class="poses">
      <div class="poses-head">
        <button type="button" class="primary" aria-keyshortcuts="K" onClick={savePose}>
          {t("poses.save")} <kbd>K</kbd>
        </button>
        <PlayAll
          count={poses.length}
          onPlay={() => {
            problem.value = null;
            play("poses", isLooping.peek());
          }}
        />
        <label class="poses-loop">
          <input
            type="checkbox"
            checked={isLooping.value}
            onChange={(event) => (isLooping.value = event.currentTarget.checked)}
          />
          {t("poses.loop")}
        </label>
        <span class="hint" role="status">
          {poses.length > 0 && t("poses.count", { n: poses.length })}
        </span>
        <Help text={t("poses.help")} about={t("poses.title")} />
      </div>
      {problem.value !== null && (
        <Card kind="error">
          <p>{sentenceOf(problem.value.code, problem.value.message)}</p>
          <PlayAnyway code={problem.value.code} onPlay={() => (problem.value = null)} />
        </Card>
      )}
      {poses.length === 0 ? <p class="poses-none quiet">{t("poses.none")}</p> : <PoseList poses={poses} />}
    </div>
  );
}

function PlayAll({ count, onPlay }: { count: number; onPlay: () => void }) {
  return (
    <button
      type="button"
      class="poses-play"
      disabled={count < 2}
      title={count < 2 ? t("poses.playNeeds") : t("poses.playHint")}
      onClick={onPlay}
    >
      <Icon name="play" />
      {t("poses.play")}
    </button>
  );
}

function PoseList({ poses }: { poses: readonly SavedPose[] }) {
  const joints = sheet.value?.joints ?? [];
  const names = shortNames(joints.map(({ name }) => name));
  const order = useOrder((from, to) => {
    const pose = poses[from];
    if (pose !== undefined) move(pose, to);
  });
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={t("poses.list")}>
      <table class="poses-table numbers">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">{t("poses.order")}</span>
            </th>
            <th scope="col">{t("poses.nameHead")}</th>
            {hasObjects() && (
              <th scope="col" title={t("poses.on.hint")}>
                {t("poses.on.head")}
              </th>
            )}
            {joints.map((joint, i) => (
              <th key={joint.name} scope="col" title={joint.name}>
                {names[i]} <span class="unit">{unit(joint.unit)}</span>
              </th>
            ))}
            <th scope="col">
              <span class="unseen">{t("poses.acts")}</span>
            </th>
          </tr>
        </thead>
        <tbody ref={order.list}>
          {poses.map((pose, index) => (
            <PoseRow key={pose.id} pose={pose} index={index} count={poses.length} order={order} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The chosen pose is shown as a ghost, as long as the panel is open. */
function useGhost(): void {
  useSignalEffect(() => {
    const chosen = selection.value;
    const pose =
      chosen?.kind === "pose" ? project.value?.poses.find(({ id }) => id === chosen.name) : undefined;
    showGhost(pose !== undefined && pose.q.length === layout.value?.joints.length ? pose : null);
  });
  useSignalEffect(() => {
    const shown = ghost.value;
    view.value?.ghosts("poses", shown === null ? [] : [shown], { opacity: 0.35 });
  });
  useEffect(
    () => () => {
      showGhost(null);
      view.peek()?.ghosts("poses", []);
    },
    [],
  );
}
