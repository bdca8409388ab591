/** "Add an arm…": which one of the catalog, what it is called, and where its base stands. */

import { signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Failure } from "../api";
import { addArm, arms, freeBase, freeName, MAX_ARMS, selectArm } from "../arms";
import { armTitle } from "../arm-title";
import { robots } from "../catalog";
import { sentenceOf } from "../events";
import { t } from "../i18n";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { NumberField } from "../parts/number-field";
import { project } from "../project";
import type { ArmChoice, RobotRow } from "../protocol.gen";
import "../styles/add-arm.css";

interface Draft {
  readonly name: string;
  readonly model: string;
  readonly base: ArmChoice["base"];
  /** Whether the person has moved the base: another model then leaves it where it is. */
  readonly isMoved: boolean;
}

const draft = signal<Draft | null>(null);
const refusal = signal<Failure | null>(null);
const isBusy = signal(false);
const BASE = ["X", "Y", "Z", "A", "B", "C"] as const;
const FARTHEST_MM = 100_000;
const TURN_DEG = 360;

/** The button below the tree, and its dialog. */
export function AddArm() {
  if (project.value === null) return null;
  const isFull = arms.value.length >= MAX_ARMS;
  return (
    <>
      <button
        type="button"
        class="add-arm-button"
        disabled={isFull}
        title={isFull ? t("arms.full", { n: MAX_ARMS }) : t("arms.addHint")}
        onClick={open}
      >
        <Icon name="add" />
        {t("arms.add")}
      </button>
      <Dialog
        title={t("arms.dialog")}
        open={draft.value !== null}
        onClose={() => (draft.value = null)}
        actions={
          <>
            <button type="button" onClick={() => (draft.value = null)}>
              {t("arms.cancel")}
            </button>
            <button type="button" class="primary" disabled={isBusy.value} onClick={() => void add()}>
              {t("arms.confirm")}
            </button>
          </>
        }
      >
        {draft.value !== null && <Fields made={draft.value} rows={robots.value ?? []} />}
      </Dialog>
    </>
  );
}

function Fields({ made, rows }: { made: Draft; rows: readonly RobotRow[] }) {
  const id = useId();
  const change = (part: Partial<Draft>): void => {
    draft.value = { ...made, ...part };
    refusal.value = null;
  };
  return (
    <div class="add-arm">
      <label for={`${id}-model`}>{t("arms.model")}</label>
      <select
        id={`${id}-model`}
        value={made.model}
        onChange={({ currentTarget: { value: model } }) =>
          change({ model, ...(made.isMoved ? {} : { base: placeFor(model) }) })
        }
      >
        {rows.map((row) => (
          <option key={row.name} value={row.name}>
            {armTitle(row)}
          </option>
        ))}
      </select>
      <label for={`${id}-name`}>{t("arms.nameLabel")}</label>
      <input
        id={`${id}-name`}
        type="text"
        class="text-field"
        maxLength={60}
        value={made.name}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <fieldset class="add-arm-base">
        <legend>{t("arm.base")}</legend>
        {BASE.map((axis, i) => (
          <NumberField
            key={axis}
            label={axis}
            value={made.base[i] ?? 0}
            unit={i < 3 ? "mm" : "°"}
            lower={i < 3 ? -FARTHEST_MM : -TURN_DEG}
            upper={i < 3 ? FARTHEST_MM : TURN_DEG}
            step={i < 3 ? 50 : 15}
            onCommit={(value) => change({ base: withNumber(made.base, i, value), isMoved: true })}
          />
        ))}
      </fieldset>
      <p class="hint">{t("arms.baseHint")}</p>
      <p class="problem" role="alert">
        {refusal.value === null ? "" : sentenceOf(refusal.value.code, refusal.value.message)}
      </p>
    </div>
  );
}

function withNumber(base: Draft["base"], index: number, value: number): Draft["base"] {
  const changed: [number, number, number, number, number, number] = [...base];
  changed[index] = value;
  return changed;
}

function reachOf(model: string): number {
  return robots.peek()?.find((row) => row.name === model)?.reach ?? 1000;
}

function placeFor(model: string): Draft["base"] {
  const made = project.peek();
  return made === null ? [0, 0, 0, 0, 0, 0] : freeBase(made, reachOf(model), reachOf);
}

function open(): void {
  const made = project.peek();
  if (made === null) return;
  refusal.value = null;
  draft.value = {
    name: freeName(made),
    model: made.arm.file === null ? made.arm.name : (robots.peek()?.[0]?.name ?? made.arm.name),
    base: placeFor(made.arm.name),
    isMoved: false,
  };
}

/** Add the arm, and select it; where it is refused, the dialog says why and stays. */
async function add(): Promise<void> {
  const made = draft.peek();
  const now = project.peek();
  if (made === null || now === null) return;
  const typed = made.name.trim();
  const name = typed === "" ? freeName(now) : typed;
  isBusy.value = true;
  refusal.value = await addArm(name, made.model, made.base);
  isBusy.value = false;
  if (refusal.value !== null) return;
  draft.value = null;
  selectArm(name);
}
