/** How a move in joint space is made and timed: the scheme, the times of its segments, the time of the whole. */

import { t } from "../../i18n";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import type { MoveStep } from "../../protocol.gen";
import { SCHEMES, takesTimes, timesFor } from "../planner/draft";

const LONGEST = 1e6;

interface TimingProps {
  readonly step: MoveStep;
  readonly set: (next: MoveStep) => void;
}

export function Scheme({ step, set }: TimingProps) {
  const name = step.scheme ?? (step.via.length === 0 ? "jerk" : "smooth");
  const segments = step.via.length + 1;
  const { times } = step;
  const isTakingTimes = takesTimes(name);
  return (
    <div class="scenario-fields scenario-timing">
      <label class="field">
        <span class="field-label">{t("planner.scheme")}</span>
        <select
          aria-label={t("planner.scheme")}
          value={name}
          title={t(`planner.about.${name}`)}
          onChange={(event) => {
            const scheme = event.currentTarget.value;
            set({ ...step, scheme, times: takesTimes(scheme) ? times : null });
          }}
        >
          {SCHEMES.map((one) => (
            <option key={one} value={one}>
              {t(`planner.scheme.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="planner-check" title={t(isTakingTimes ? "planner.timesHint" : "planner.timesNone")}>
        <input
          type="checkbox"
          checked={times !== null}
          disabled={!isTakingTimes}
          onChange={(event) =>
            set({
              ...step,
              times: event.currentTarget.checked ? timesFor([], segments) : null,
              duration: null,
            })
          }
        />
        {t("planner.times")}
      </label>
      {times?.map((time, i) => (
        <NumberField
          key={i}
          label={`${i} → ${i + 1}`}
          value={time}
          unit="s"
          digits={3}
          lower={0.001}
          upper={LONGEST}
          step={0.1}
          onCommit={(value) => set({ ...step, times: times.with(i, value) })}
        />
      ))}
    </div>
  );
}

/** How long the whole move takes: of one with times of its own, their sum; a change keeps their shares. */
export function Total({ step, set }: TimingProps) {
  const { times } = step;
  const sum = times?.reduce((all, time) => all + time, 0) ?? null;
  const given = sum ?? step.duration;
  const commit = (duration: number): void => {
    if (times === null || sum === null) set({ ...step, duration });
    else set({ ...step, times: times.map((time) => Math.round((time * duration * 1e6) / sum) / 1e6) });
  };
  return (
    <span class="scenario-tool-speed" title={t("planner.totalHint")}>
      <NumberField
        label={t("planner.total")}
        value={given}
        unit="s"
        digits={3}
        lower={0.001}
        upper={LONGEST}
        step={0.1}
        onCommit={commit}
      />
      {step.duration !== null && (
        <IconButton
          icon="close"
          label={t("planner.totalClear")}
          onClick={() => set({ ...step, duration: null })}
        />
      )}
    </span>
  );
}
