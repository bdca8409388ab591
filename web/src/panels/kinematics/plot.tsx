/** ‖e‖ and λ over the steps, both logarithmic; a click looks at a step. */

import { t } from "../../i18n";
import type { StepsReport } from "../../protocol.gen";
import { type LogScale, logScale } from "./numbers";
import { at, lookAt, playing } from "./state";
import { powerOfTen, scientific } from "./words";

const WIDTH = 356;
const HEIGHT = 170;
const LEFT = 34;
const RIGHT = WIDTH - 34;
const TOP = 10;
const BOTTOM = HEIGHT - 22;

export function Plot({ report }: { report: StepsReport }) {
  const last = report.steps.length;
  const errors = [...report.steps.map(({ error }) => error), report.error];
  const dampings = report.steps.map((step) => step.damping);
  const x = (step: number): number => LEFT + (last === 0 ? 0 : (step / last) * (RIGHT - LEFT));
  const error = logScale(errors, BOTTOM, TOP);
  const damping = logScale(dampings, BOTTOM, TOP);
  const look = (event: MouseEvent): void => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (RIGHT - LEFT);
    playing.value = false;
    void lookAt(Math.round(share * last));
  };
  const here = at.value;
  return (
    <figure class="kinematics-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t("kinematics.lm.plot", {
          n: last,
          from: scientific(errors[0] ?? 0),
          to: scientific(report.error),
        })}
        onClick={look}
      >
        <Axis scale={error} side="left" />
        <Axis scale={damping} side="right" />
        <line class="kinematics-plot-frame" x1={LEFT} x2={RIGHT} y1={BOTTOM} y2={BOTTOM} />
        <text class="kinematics-plot-tick" x={LEFT} y={HEIGHT - 8} text-anchor="middle">
          0
        </text>
        <text class="kinematics-plot-tick" x={RIGHT} y={HEIGHT - 8} text-anchor="middle">
          {last}
        </text>
        <line class="kinematics-plot-here" x1={x(here)} x2={x(here)} y1={TOP} y2={BOTTOM} />
        <polyline class="kinematics-plot-damping" points={points(dampings, x, damping)} />
        <polyline class="kinematics-plot-error" points={points(errors, x, error)} />
        {errors.map((value, i) => (
          <circle
            key={i}
            class="kinematics-plot-dot"
            data-rejected={report.steps[i]?.accepted === false ? "" : undefined}
            cx={x(i)}
            cy={error.place(value)}
            r={i === here ? 4.5 : last > 40 ? 1.8 : 2.6}
          />
        ))}
      </svg>
      <figcaption>
        {(["error", "damping", "rejected"] as const).map((line) => (
          <span key={line} class="kinematics-key" data-line={line}>
            {t(`kinematics.lm.plot.${line}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Axis({ scale, side }: { scale: LogScale; side: "left" | "right" }) {
  const isLeft = side === "left";
  return (
    <g>
      {scale.ticks.map((tick) => {
        const y = scale.place(10 ** tick);
        return (
          <g key={tick}>
            {isLeft && <line class="kinematics-plot-grid" x1={LEFT} x2={RIGHT} y1={y} y2={y} />}
            <text
              class="kinematics-plot-tick"
              data-side={side}
              x={isLeft ? LEFT - 5 : RIGHT + 5}
              y={y + 3}
              text-anchor={isLeft ? "end" : "start"}
            >
              {powerOfTen(tick)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function points(values: readonly number[], x: (step: number) => number, scale: LogScale): string {
  return values.map((value, i) => `${x(i).toFixed(1)},${scale.place(value).toFixed(1)}`).join(" ");
}
