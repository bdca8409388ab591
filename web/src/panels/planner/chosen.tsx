/** What can be done with the chosen point: moved in the list and in the view, gone to, put where the arm is. */

import { moveJoints, moveTool } from "../../acts";
import { t } from "../../i18n";
import { IconButton } from "../../parts/icon-button";
import { Segments } from "../../parts/segments";
import type { Pose } from "../../poses";
import { change, chosen, draft, pointsOf, roleOf, withPoints } from "./draft";
import { handles, isOutOfReach } from "./in-view";
import { movePoint, presentPoint } from "./points";

export function ChosenPoint() {
  const index = chosen.value;
  const made = draft.value;
  const points = pointsOf(made);
  const point = index === null ? undefined : points[index];
  if (index === null || point === undefined)
    return points.length > 0 ? <p class="hint">{t("planner.chooseHint")}</p> : null;
  const name = roleOf(index, points.length);
  const overwrite = (): void => {
    const present = presentPoint();
    change(t("planner.edit.overwrite"), (before) =>
      withPoints(before, pointsOf(before).with(index, present)),
    );
  };
  return (
    <div class="row planner-chosen" role="group" aria-label={name}>
      <strong>{name}</strong>
      <IconButton
        icon="up"
        label={t("poses.up", { name })}
        disabled={index === 0}
        onClick={() => movePoint(index, index - 1)}
      />
      <IconButton
        icon="down"
        label={t("poses.down", { name })}
        disabled={index === points.length - 1}
        onClick={() => movePoint(index, index + 1)}
      />
      <button
        type="button"
        onClick={() => (made.mode === "joint" ? moveJoints(point) : moveTool(point as unknown as Pose))}
      >
        {t("planner.go")}
      </button>
      <button type="button" onClick={overwrite}>
        {t("planner.overwrite")}
      </button>
      <Segments
        label={t("planner.handles")}
        choices={[
          { id: "translate", title: t("planner.handles.translate"), hint: t("planner.handlesHint") },
          { id: "rotate", title: t("planner.handles.rotate"), hint: t("planner.handlesHint") },
        ]}
        chosen={handles.value}
        onChoose={(id) => (handles.value = id)}
      />
      {isOutOfReach.value && (
        <span class="problem" role="alert">
          {t("planner.outOfReach")}
        </span>
      )}
    </div>
  );
}
