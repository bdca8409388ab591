/** The lengths of the arm on sliders: it changes while one is pulled, and one undo takes the whole pull back. */

import { useSignal } from "@preact/signals";
import { useId, useMemo } from "preact/hooks";
import { number, t, unit } from "../../i18n";
import { rounded } from "../../numbers";
import { IconButton } from "../../parts/icon-button";
import { Slider } from "../../parts/slider";
import { project } from "../../project";
import type { DhValues, RobotSheet } from "../../protocol.gen";
import { along, finenessOf, isNear, type Length, lengthsOf, MAX_MM, spanOf, valuesOf } from "./changes";
import { CheckedField } from "./checked-field";
import "./lengths.css";
import { lightsOf } from "./light";
import { Pull } from "./pull";
import { changeDh, SYMBOLS } from "./state";

/** As near to the catalog's value, as a share of the slider, a hand finds it by itself. */
const CATCH = 0.012;

export function Lengths({ own }: { own: RobotSheet }) {
  const first = valuesOf(own.dh_standard);
  const rows = project.value?.arm.dh ?? first;
  const lengths = lengthsOf(first);
  if (lengths.length === 0) return <p class="quiet arm-lengths-none">{t("arm.lengths.none")}</p>;
  return (
    <ul class="arm-lengths" aria-label={t("arm.lengths")}>
      {lengths.map((length, i) => (
        <LengthRow
          key={`${length.index}${length.column}`}
          own={own}
          length={length}
          value={valueOf(rows, length)}
          isFirst={lengths[i - 1]?.index !== length.index}
        />
      ))}
    </ul>
  );
}

function valueOf(rows: readonly DhValues[], { index, column, own }: Length): number {
  return rows[index]?.[column] ?? own;
}

interface LengthRowProps {
  readonly own: RobotSheet;
  readonly length: Length;
  readonly value: number;
  /** The first length of a joint carries its name. */
  readonly isFirst: boolean;
}

function LengthRow({ own, length, value, isFirst }: LengthRowProps) {
  const { index, column } = length;
  const id = useId();
  const joint = own.joints[index]?.name ?? "";
  const label = t("arm.dh.field", { what: SYMBOLS[column], joint });
  const { shown, problem, pull, move } = usePull(own, length, value);
  return (
    <li class="arm-length" data-length={`${joint} ${column}`} {...lightsOf(index)}>
      <div class="arm-length-row">
        <span class="arm-length-joint" title={joint} aria-hidden="true">
          {isFirst && joint}
        </span>
        <i class="arm-length-symbol" aria-hidden="true">
          {SYMBOLS[column]}
        </i>
        <LengthSlider label={label} length={length} shown={shown} pull={pull} onMove={move} />
        <CheckedField
          bare
          label={`${label}, ${unit("mm")}`}
          value={shown}
          own={length.own}
          unit="mm"
          lower={-MAX_MM}
          upper={MAX_MM}
          describedBy={id}
          onProblem={(text) => (problem.value = text)}
          onCommit={(typed) => changeDh(own, index, column, typed)}
        />
        <span class="unit" aria-hidden="true">
          {unit("mm")}
        </span>
        <Back own={own} length={length} value={value} onProblem={(text) => (problem.value = text)} />
      </div>
      <p id={id} class="problem" role="alert">
        {problem.value !== null && `${joint}, ${SYMBOLS[column]}: ${problem.value}`}
      </p>
    </li>
  );
}

interface LengthSliderProps {
  readonly label: string;
  readonly length: Length;
  readonly shown: number;
  readonly pull: Pull<number>;
  readonly onMove: (value: number) => void;
}

function LengthSlider({ label, length, shown, pull, onMove }: LengthSliderProps) {
  const { own } = length;
  const digits = finenessOf(own);
  return (
    <Slider
      label={label}
      value={along(own, shown)}
      {...spanOf(own, shown)}
      from={Math.abs(own)}
      notch={Math.abs(own)}
      digits={digits + 1}
      step={10 ** -digits}
      says={(size) => t("arm.lengths.says", sayings(own, along(own, size)))}
      onInput={(size) => onMove(along(own, size))}
      onHold={() => pull.hold()}
      onRelease={() => pull.release()}
    />
  );
}

function sayings(own: number, value: number) {
  return {
    value: number(value, finenessOf(own)),
    unit: unit("mm"),
    share: number((100 * value) / own, 0),
  };
}

/** Back to what the catalog says; the place is kept, so that nothing jumps. */
function Back({
  own,
  length: { index, column, own: first },
  value,
  onProblem,
}: Omit<LengthRowProps, "isFirst"> & { onProblem: (problem: string | null) => void }) {
  const back = async (): Promise<void> => onProblem(await changeDh(own, index, column, first, false));
  const label = t("arm.lengths.back", { value: number(first, finenessOf(first)), unit: unit("mm") });
  return (
    <span class="arm-length-back">
      {!isNear(value, first) && <IconButton icon="reset" label={label} onClick={() => void back()} />}
    </span>
  );
}

/** What is shown is what the hand wants, until the server has agreed or refused. */
function usePull(own: RobotSheet, length: Length, value: number) {
  const { index, column } = length;
  const wanted = useSignal<number | null>(null);
  const problem = useSignal<string | null>(null);
  const pull = useMemo(
    () =>
      new Pull<number>(
        (to, coalesce) => changeDh(own, index, column, to, coalesce),
        (refusal) => {
          wanted.value = null;
          problem.value = refusal;
        },
      ),
    [own, index, column],
  );
  const move = (to: number): void => {
    const { lower, upper } = spanOf(length.own, value);
    const isCaught = pull.isHeld && Math.abs(to - length.own) < CATCH * (upper - lower);
    const next = isCaught ? length.own : rounded(to, finenessOf(length.own));
    wanted.value = next;
    pull.to(next);
  };
  return { shown: wanted.value ?? value, problem, pull, move };
}
