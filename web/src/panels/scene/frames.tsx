/** The frames of the project: a list, the numbers of the chosen one, and teaching one by three points. */

import { useSignal } from "@preact/signals";
import { number, t } from "../../i18n";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import type { Pose } from "../../poses";
import { userFrames } from "../../project";
import type { UserFrame } from "../../protocol.gen";
import { chooseReference, reference } from "../../reference";
import { deselect, isSelected, select } from "../../selection";
import {
  addHere,
  changeFrame,
  chosenFrame,
  createByPoints,
  deleteFrame,
  MAX_NAME,
  type Point,
  POINTS,
  points,
  pointsProblem,
  takePoint,
  teach,
} from "./frame-acts";

const NAMES = ["X", "Y", "Z", "A", "B", "C"] as const;
const FAR = 100_000;
const FULL_TURN = 360;

export function Frames() {
  const chosen = chosenFrame();
  return (
    <>
      {userFrames.value.length === 0 ? (
        <p class="quiet">{t("frames.none")}</p>
      ) : (
        <ul class="scene-bodies" aria-label={t("frames.heading")}>
          {userFrames.value.map((frame) => (
            <Row key={frame.id} frame={frame} />
          ))}
        </ul>
      )}
      {chosen !== null && <FrameEditor key={chosen.id} frame={chosen} />}
      <div class="scene-acts">
        <button type="button" onClick={addHere}>
          <Icon name="add" />
          {t("frames.add")}
        </button>
        <button
          type="button"
          aria-expanded={points.value !== null}
          onClick={() => {
            points.value = points.value === null ? {} : null;
            pointsProblem.value = null;
          }}
        >
          <Icon name="add" />
          {t("frames.byPoints")}
        </button>
      </div>
      {points.value !== null && <ThreePoints />}
    </>
  );
}

function Row({ frame }: { frame: UserFrame }) {
  const { id, name, pose } = frame;
  const isChosen = isSelected("frame", id);
  return (
    <li class="scene-body" data-frame={name} data-chosen={isChosen ? "" : undefined}>
      <button
        type="button"
        class="scene-body-name"
        aria-pressed={isChosen}
        onClick={() => (isChosen ? deselect() : select("frame", id))}
      >
        <Icon name="kinematics" />
        <span class="scene-body-title">{name}</span>
        <span class="scene-body-facts">{said([pose[0], pose[1], pose[2]])}</span>
      </button>
      <IconButton icon="delete" label={t("frames.delete", { name })} onClick={() => deleteFrame(frame)} />
    </li>
  );
}

function FrameEditor({ frame }: { frame: UserFrame }) {
  const isEmpty = useSignal(false);
  const set = (index: number, value: number): void =>
    changeFrame(frame, (before) => ({ ...before, pose: before.pose.with(index, value) as unknown as Pose }));
  return (
    <div class="scene-editor" data-edited-frame={frame.name}>
      <label class="field">
        <span class="field-label">{t("frames.nameField")}</span>
        <input
          class="text-field"
          type="text"
          maxLength={MAX_NAME}
          value={frame.name}
          aria-invalid={isEmpty.value}
          onChange={(event) => {
            const name = event.currentTarget.value.trim();
            isEmpty.value = name === "";
            if (name !== "") changeFrame(frame, (before) => ({ ...before, name }));
          }}
        />
      </label>
      <p class="problem" role="alert">
        {isEmpty.value && t("frames.nameEmpty")}
      </p>
      <fieldset class="scene-set">
        <legend>{t("frames.pose")}</legend>
        <div class="scene-three">
          {NAMES.map((name, i) => (
            <NumberField
              key={name}
              label={name}
              value={frame.pose[i] ?? 0}
              unit={i < 3 ? "mm" : "°"}
              lower={i < 3 ? -FAR : -FULL_TURN}
              upper={i < 3 ? FAR : FULL_TURN}
              onCommit={(value) => set(i, value)}
            />
          ))}
        </div>
      </fieldset>
      <div class="scene-acts">
        <button type="button" onClick={() => teach(frame)}>
          {t("frames.teach")}
        </button>
        {reference.value?.id !== frame.id && (
          <button type="button" onClick={() => chooseReference(frame.id)}>
            {t("frames.use")}
          </button>
        )}
      </div>
      {reference.value?.id === frame.id && <p class="hint">{t("frames.inUse")}</p>}
    </div>
  );
}

function ThreePoints() {
  const taken = points.value ?? {};
  const isWhole = POINTS.every((name) => taken[name] !== undefined);
  return (
    <div class="scene-points" role="group" aria-label={t("frames.byPoints")}>
      {POINTS.map((name) => (
        <div key={name} class="scene-point" data-point={name}>
          <span>
            {t(`frames.points.${name}`)}
            <span class="hint">
              {taken[name] === undefined ? t("frames.points.missing") : said(taken[name])}
            </span>
          </span>
          <button
            type="button"
            aria-label={`${t(`frames.points.${name}`)}: ${t("frames.points.take")}`}
            onClick={() => takePoint(name)}
          >
            {t("frames.points.take")}
          </button>
        </div>
      ))}
      <p class="problem" role="alert">
        {pointsProblem.value}
      </p>
      <div class="scene-acts">
        <button type="button" class="primary" disabled={!isWhole} onClick={() => void createByPoints()}>
          {t("frames.points.create")}
        </button>
        <button type="button" onClick={() => (points.value = null)}>
          {t("frames.points.cancel")}
        </button>
      </div>
    </div>
  );
}

function said([x, y, z]: Point): string {
  return t("frames.points.at", { x: number(x, 1), y: number(y, 1), z: number(z, 1) });
}
