/** The points of the plan: numbers to be typed over, rows to be put in order, and where new ones come from. */

import { useSignal } from "@preact/signals";
import { sheet } from "../../catalog";
import { t, unit } from "../../i18n";
import { live } from "../../live";
import { IconButton } from "../../parts/icon-button";
import { Icon } from "../../parts/icon";
import { NumberField } from "../../parts/number-field";
import { type Pose, toolPose } from "../../poses";
import { project } from "../../project";
import type { SavedPose } from "../../protocol.gen";
import { currentJoints } from "../poses/saved";
import { dropMark, moved, type Order, useOrder } from "../poses/order";
import { toolPoses, unreachable } from "./ask";
import { ChosenPoint } from "./chosen";
import { change, chosen, draft, MAX_POINTS, type Point, pointsOf, roleOf, withPoints } from "./draft";

/** What a column of the list holds. */
export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly lower: number;
  readonly upper: number;
}

const LARGEST = 1e6;

export function PointList() {
  const made = draft.value;
  const points = pointsOf(made);
  const columns = columnsNow();
  const order = useOrder(movePoint);
  return (
    <div class="planner-points">
      {points.length === 0 ? (
        <p class="planner-none quiet">{t(`planner.none.${made.mode}`)}</p>
      ) : (
        <div class="scroll" role="region" tabIndex={0} aria-label={t("planner.points")}>
          <table class="numbers planner-table">
            <thead>
              <tr>
                <th scope="col">{t("planner.point")}</th>
                {columns.map(({ name, unit: one }) => (
                  <th key={name} scope="col">
                    {name} <span class="unit">{unit(one)}</span>
                  </th>
                ))}
                <th scope="col">
                  <span class="unseen">{t("planner.delete")}</span>
                </th>
              </tr>
            </thead>
            <tbody ref={order.list}>
              {points.map((point, index) => (
                <PointRow
                  key={`${made.mode}${index}`}
                  point={point}
                  index={index}
                  count={points.length}
                  columns={columns}
                  order={order}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ChosenPoint />
      <AddPoint count={points.length} />
    </div>
  );
}

interface PointRowProps {
  readonly point: Point;
  readonly index: number;
  readonly count: number;
  readonly columns: readonly Column[];
  readonly order: Order;
}

function PointRow({ point, index, count, columns, order }: PointRowProps) {
  const problem = useSignal<string | null>(null);
  const role = roleOf(index, count);
  const why = unreachable.value.get(index);
  const note =
    problem.value ?? (why === undefined ? null : t("planner.unreachable", { name: role, why: why }));
  const set = (i: number, value: number): void => {
    problem.value = null;
    change(t("planner.edit.value"), (made) =>
      withPoints(made, pointsOf(made).with(index, (pointsOf(made)[index] ?? point).with(i, value))),
    );
  };
  return (
    <>
      <tr
        data-order
        data-point={index}
        data-chosen={chosen.value === index ? "" : undefined}
        data-drop={dropMark(order.drag, index)}
      >
        <PointName index={index} role={role} order={order} />
        {columns.map((column, i) => (
          <td key={column.name}>
            <NumberField
              bare
              label={t("planner.valueOf", { name: role, what: column.name, unit: unit(column.unit) })}
              value={point[i] ?? null}
              lower={column.lower}
              upper={column.upper}
              onCommit={(value) => set(i, value)}
              onProblem={(text) => (problem.value = text)}
            />
          </td>
        ))}
        <td>
          <IconButton
            icon="delete"
            label={t("planner.deleteOne", { name: role })}
            onClick={() => deletePoint(index)}
          />
        </td>
      </tr>
      {note !== null && (
        <tr class="planner-problem">
          <td colSpan={columns.length + 2}>
            <span class="problem" role="alert">
              {note}
            </span>
          </td>
        </tr>
      )}
    </>
  );
}

function PointName({ index, role, order }: { index: number; role: string; order: Order }) {
  const isChosen = chosen.value === index;
  return (
    <th scope="row">
      <button
        type="button"
        class="icon-button planner-handle"
        aria-label={t("poses.handle", { name: role })}
        title={t("poses.handleHint")}
        {...order.handle(index)}
      >
        <Icon name="drag" />
      </button>
      <button
        type="button"
        class="planner-role"
        aria-pressed={isChosen}
        title={t("planner.choose")}
        onClick={() => (chosen.value = isChosen ? null : index)}
      >
        {role}
      </button>
    </th>
  );
}

function AddPoint({ count }: { count: number }) {
  const poses = project.value?.poses ?? [];
  const isFull = count >= MAX_POINTS;
  return (
    <div class="row planner-add">
      <button type="button" disabled={isFull} onClick={() => addPoints([presentPoint()])}>
        <Icon name="add" />
        {t("planner.addPresent")}
      </button>
      {poses.length > 0 && (
        <select
          aria-label={t("planner.addSaved")}
          disabled={isFull}
          value=""
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = "";
            void addKept(value === "*" ? poses : poses.filter(({ id }) => id === value));
          }}
        >
          <option value="" disabled>
            {t("planner.addSaved")}
          </option>
          {poses.length > 1 && <option value="*">{t("planner.addAll", { n: poses.length })}</option>}
          {poses.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Return where the arm is now, as a point of the mode that is shown. */
export function presentPoint(): Point {
  if (draft.peek().mode === "joint") return currentJoints();
  return (toolPose(live.frames) ?? [0, 0, 0, 0, 0, 0]).map((value) => Math.round(value * 1000) / 1000 + 0);
}

async function addKept(poses: readonly SavedPose[]): Promise<void> {
  const rows = poses.map(({ q }) => q);
  addPoints(draft.peek().mode === "joint" ? rows : await toolPoses(rows));
}

function addPoints(points: readonly (Point | Pose)[]): void {
  change(t("planner.edit.add"), (made) =>
    withPoints(made, [...pointsOf(made), ...points].slice(0, MAX_POINTS)),
  );
}

/** Put a point at another place; it stays chosen. */
export function movePoint(from: number, to: number): void {
  if (chosen.peek() === from) chosen.value = to;
  change(t("planner.edit.move"), (made) => withPoints(made, moved(pointsOf(made), from, to)));
}

function deletePoint(index: number): void {
  chosen.value = null;
  change(t("planner.edit.delete"), (made) => withPoints(made, pointsOf(made).toSpliced(index, 1)));
}

function columnsNow(): readonly Column[] {
  if (draft.value.mode === "joint") return sheet.value?.joints ?? [];
  return ["X", "Y", "Z", "A", "B", "C"].map((name, i) => ({
    name,
    unit: i < 3 ? "mm" : "°",
    lower: -LARGEST,
    upper: LARGEST,
  }));
}
