/** What came of it: findings, the runs to be played, curves, and the numbers as a table. */

import { measure, number, sentence, t, unit } from "../../i18n";
import { Card } from "../../parts/card";
import { IconButton } from "../../parts/icon-button";
import { Slider } from "../../parts/slider";
import { Table } from "../../parts/table";
import type { StructureCurves } from "../../protocol.gen";
import { COLOURS, columnsOf, CURVES } from "./curves";
import { Plot } from "./plot";
import { isPlaying, rate, result, structures, time, togglePlay } from "./state";

const RATES = [0.1, 0.25, 0.5, 1] as const;

/** The name of a structure, with what it names: “Physics: full”. */
function named(structure: string): string {
  return t("structure.named", { name: t(`structure.${structure}`) });
}

export function Result() {
  return (
    <>
      <Player />
      <Findings />
      <div class="compare-plots">
        {CURVES.map(({ id, isLog }) => (
          <Plot
            key={id}
            name={id}
            title={t(`compare.curve.${id}`)}
            isLog={isLog}
            lines={structures.value.map(({ structure }) => ({
              name: named(structure),
              colour: COLOURS[structure] ?? "--text",
            }))}
            columns={() => columnsOf(structures.value, id, isLog)}
            mark={() => time.value}
          />
        ))}
      </div>
      <Numbers />
    </>
  );
}

function Player() {
  const end = result.value?.duration ?? 0;
  return (
    <div class="compare-player" role="group" aria-label={t("compare.player")}>
      <IconButton
        icon={isPlaying.value ? "hold" : "play"}
        label={t(isPlaying.value ? "compare.pause" : "compare.play")}
        onClick={togglePlay}
      />
      <Slider
        label={t("compare.time")}
        value={time.value}
        lower={0}
        upper={end}
        unit="s"
        digits={3}
        step={end / 100}
        onInput={(at) => {
          isPlaying.value = false;
          time.value = at;
        }}
      />
      <output data-time={time.value}>{measure(time.value, 2, "s")}</output>
      <label>
        <span class="unseen">{t("compare.rate")}</span>
        <select
          title={t("compare.rate")}
          value={String(rate.value)}
          onChange={(event) => (rate.value = Number(event.currentTarget.value))}
        >
          {RATES.map((one) => (
            <option key={one} value={String(one)}>
              {`${number(one, one < 1 ? (one === 0.25 ? 2 : 1) : 0)}×`}
            </option>
          ))}
        </select>
      </label>
      <ul class="compare-legend" aria-label={t("compare.legend")}>
        {structures.value.map(({ structure, summary }) => (
          <li
            key={structure}
            style={{ "--swatch": `var(${COLOURS[structure] ?? "--text"})` }}
            title={t(`structure.${structure}Hint`)}
          >
            {named(structure)}
            {summary.diverged !== null && time.value >= summary.diverged && (
              <strong> {t("compare.lost")}</strong>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One card for each structure that has something to tell. */
function Findings() {
  const told = structures.value.filter(({ summary }) => summary.findings.length > 0);
  if (told.length === 0) return <Card kind="good">{t("compare.fine")}</Card>;
  return (
    <div class="compare-findings">
      {told.map(({ structure, summary: { findings } }) => (
        <div
          key={structure}
          class="card"
          role="note"
          data-structure={structure}
          data-kind={findings.some(({ severity }) => severity === "error") ? "error" : "warn"}
        >
          <p class="card-title">{named(structure)}</p>
          {findings.map(({ code, message }) => (
            <p key={code} data-code={code}>
              {sentence(message)}
            </p>
          ))}
        </div>
      ))}
    </div>
  );
}

function Numbers() {
  return (
    <Table
      label={t("compare.numbers")}
      head={[
        t("structure.label"),
        `${t("compare.toolError")}, ${unit("mm")}`,
        `${t("structure.gap")}, ${unit("mm")}`,
        `${t("compare.drift")}, ${unit("J")}`,
        `${t("compare.cost")}, ${unit("µs")}`,
        t("compare.unknowns"),
      ]}
      rows={structures.value.map((one) => ({ key: one.structure, cells: cellsOf(one) }))}
    />
  );
}

function cellsOf({ structure, summary }: StructureCurves): string[] {
  return [
    named(structure),
    shown(summary.tracking_rms),
    shown(summary.gap),
    summary.energy_drift === null ? "–" : shown(summary.energy_drift),
    number(summary.us_per_step, 1),
    number(summary.unknowns, 0),
  ];
}

/** Return a number of any size in few letters. */
function shown(value: number): string {
  const size = Math.abs(value);
  if (size < 1e-9) return "0";
  if (size < 1e-4 || size >= 1e6) return value.toExponential(1);
  return number(value, size < 1 ? 4 : size < 100 ? 2 : 0);
}
