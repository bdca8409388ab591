/** One saved pose: its name to be typed over, its values, and what can be done with it. */

import { useSignal } from "@preact/signals";
import { number, t } from "../../i18n";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { project } from "../../project";
import type { SavedPose } from "../../protocol.gen";
import { deselect, isSelected, select } from "../../selection";
import { attach, goTo } from "./attached";
import { duplicate, MAX_NAME, move, overwrite, remove, rename } from "./saved";
import { dropMark, type Order } from "./order";

interface PoseRowProps {
  readonly pose: SavedPose;
  readonly index: number;
  readonly count: number;
  readonly order: Order;
}

export function PoseRow({ pose, index, count, order }: PoseRowProps) {
  const { id, name, q } = pose;
  const isChosen = isSelected("pose", id);
  return (
    <tr
      data-order
      data-pose-id={id}
      data-chosen={isChosen ? "" : undefined}
      data-drop={dropMark(order.drag, index)}
    >
      <td class="poses-order">
        <button
          type="button"
          class="icon-button poses-handle"
          aria-label={t("poses.handle", { name })}
          title={t("poses.handleHint")}
          {...order.handle(index)}
        >
          <Icon name="drag" />
        </button>
        <button
          type="button"
          class="poses-number"
          aria-pressed={isChosen}
          aria-label={t("poses.show", { name })}
          title={t("poses.showHint")}
          onClick={() => (isChosen ? deselect() : select("pose", id))}
        >
          {index + 1}
        </button>
      </td>
      <th scope="row">
        <NameField pose={pose} />
      </th>
      {hasObjects() && (
        <td>
          <MovesWith pose={pose} />
        </td>
      )}
      {q.map((value, i) => (
        <td
          key={i}
          class={pose.on === null ? undefined : "quiet"}
          title={pose.on === null ? undefined : t("poses.on.hint")}
        >
          {number(value, 2)}
        </td>
      ))}
      <td>
        <Acts pose={pose} index={index} count={count} />
      </td>
    </tr>
  );
}

function Acts({ pose, index, count }: Omit<PoseRowProps, "order">) {
  const { name } = pose;
  return (
    <div class="poses-acts">
      <button
        type="button"
        class="poses-go"
        aria-label={t("poses.go", { name })}
        onClick={() => void goTo(pose)}
      >
        {t("poses.goShort")}
      </button>
      <IconButton
        icon="up"
        label={t("poses.up", { name })}
        disabled={index === 0}
        onClick={() => move(pose, index - 1)}
      />
      <IconButton
        icon="down"
        label={t("poses.down", { name })}
        disabled={index === count - 1}
        onClick={() => move(pose, index + 1)}
      />
      <IconButton icon="pose" label={t("poses.overwrite", { name })} onClick={() => void overwrite(pose)} />
      <IconButton icon="copy" label={t("poses.copy", { name })} onClick={() => duplicate(pose)} />
      <IconButton icon="delete" label={t("poses.delete", { name })} onClick={() => void remove(pose)} />
    </div>
  );
}

/** Whether there is something that a pose can move with, or a pose that does. */
export function hasObjects(): boolean {
  const now = project.value;
  return now !== null && (now.bodies.length > 0 || now.poses.some(({ on }) => on !== null));
}

/** The object that the pose moves with. */
function MovesWith({ pose }: { pose: SavedPose }) {
  const names = project.value?.bodies.map(({ name }) => name) ?? [];
  const body = pose.on?.body ?? "";
  const isGone = body !== "" && !names.includes(body);
  return (
    <select
      class="text-field poses-on"
      aria-label={t("poses.on.of", { name: pose.name })}
      aria-invalid={isGone}
      title={t("poses.on.hint")}
      value={body}
      onChange={(event) => void attach(pose, event.currentTarget.value)}
    >
      <option value="">{t("poses.on.none")}</option>
      {isGone && <option value={body}>{t("poses.on.gone", { body })}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The name, as a field: Enter or leaving it renames, Escape gives up; an empty name is no name. */
function NameField({ pose }: { pose: SavedPose }) {
  const draft = useSignal<string | null>(null);
  const isEmpty = draft.value?.trim() === "";
  const done = (): void => {
    const typed = draft.value;
    draft.value = null;
    if (typed !== null) rename(pose, typed);
  };
  return (
    <>
      <input
        class="text-field poses-name"
        value={draft.value ?? pose.name}
        title={pose.name}
        maxLength={MAX_NAME}
        aria-label={t("poses.nameOf", { name: pose.name })}
        aria-invalid={isEmpty}
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          else if (event.key === "Escape" && draft.value !== null) {
            event.stopPropagation();
            draft.value = null;
          }
        }}
      />
      {isEmpty && (
        <span class="problem" role="alert">
          {t("poses.nameEmpty")}
        </span>
      )}
    </>
  );
}
