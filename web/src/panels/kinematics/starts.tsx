/** The map of starts: a picture with one cell per start, a legend, and a click that takes a start. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { sheet } from "../../catalog";
import { measure, number, t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Section } from "../../parts/section";
import { Segments } from "../../parts/segments";
import type { StartMapReport } from "../../protocol.gen";
import { coloursChanged } from "../../theme";
import { start } from "./lm-settings";
import {
  busy,
  chooseJoint,
  type Colouring,
  colouring,
  failure,
  followMap,
  joints,
  map,
  startAt,
} from "./starts-state";
import { shareOf } from "./numbers";
import { branchWords } from "./words";

/** As many tokens --series-… as there are. */
const SERIES = 7;

export function Starts() {
  return (
    <Section
      id="kinematics.starts"
      title={t("kinematics.starts")}
      help={t("kinematics.starts.help")}
      open={false}
    >
      <Body />
    </Section>
  );
}

function Body() {
  useEffect(followMap, []);
  const known = map.value;
  const all = sheet.value?.joints ?? [];
  if (all.length < 2) return <p class="quiet">{t("kinematics.starts.few")}</p>;
  return (
    <>
      <div class="row kinematics-map-choice">
        <JointChoice place={0} />
        <JointChoice place={1} />
        <Segments<Colouring>
          label={t("kinematics.starts.colour")}
          choices={(["solution", "steps"] as const).map((id) => ({
            id,
            title: t(`kinematics.starts.colour.${id}`),
          }))}
          chosen={colouring.value}
          onChoose={(id) => (colouring.value = id)}
        />
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div aria-busy={busy.value}>
        {known === null ? (
          failure.value === null && <p class="quiet">{t("kinematics.asking")}</p>
        ) : (
          <>
            <Picture known={known} />
            {colouring.value === "solution" ? <Legend known={known} /> : <StepsLegend known={known} />}
          </>
        )}
      </div>
    </>
  );
}

function JointChoice({ place }: { place: 0 | 1 }) {
  return (
    <label class="kinematics-map-joint">
      <span class="field-label">{t(place === 0 ? "kinematics.starts.across" : "kinematics.starts.up")}</span>
      <select
        class="text-field"
        value={joints.value[place]}
        onChange={(event) => chooseJoint(place, Number(event.currentTarget.value))}
      >
        {sheet.value?.joints.map(({ name }, i) => (
          <option key={name} value={i}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Cell {
  readonly column: number;
  readonly row: number;
}

function Picture({ known }: { known: StartMapReport }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal<Cell | null>(null);
  const colour = colouring.value;
  const colours = coloursChanged.value;
  useEffect(() => {
    if (canvas.current !== null) paint(canvas.current, known, colour);
  }, [known, colour, colours]);
  const size = known.across.length;
  const cellAt = (event: MouseEvent): Cell => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const place = (share: number): number => Math.min(Math.max(Math.floor(share * size), 0), size - 1);
    return {
      column: place((event.clientX - box.left) / box.width),
      row: size - 1 - place((event.clientY - box.top) / box.height),
    };
  };
  const said = pointed.value;
  return (
    <figure class="kinematics-map">
      <div class="kinematics-map-frame">
        <canvas
          ref={canvas}
          width={size}
          height={size}
          role="img"
          aria-label={t("kinematics.starts.picture", {
            n: known.solutions.length,
            failed: failedOf(known),
            count: size * size,
          })}
          onClick={(event) => {
            const { column, row } = cellAt(event);
            startAt(column, row);
          }}
          onPointerMove={(event) => (pointed.value = cellAt(event))}
          onPointerLeave={() => (pointed.value = null)}
        />
        <Mark known={known} />
      </div>
      <figcaption>
        <Range known={known} />
        <p class="kinematics-map-cell">
          {said === null ? t("kinematics.starts.click") : cellText(known, said)}
        </p>
      </figcaption>
    </figure>
  );
}

/** The start that is chosen, if it lies in the map. */
function Mark({ known }: { known: StartMapReport }) {
  const from = start.value;
  const x = shareOf(from?.[known.joints[0]], known.across);
  const y = shareOf(from?.[known.joints[1]], known.up);
  if (x === null || y === null) return null;
  return <span class="kinematics-map-mark" style={{ left: `${100 * x}%`, top: `${100 * (1 - y)}%` }} />;
}

function Range({ known }: { known: StartMapReport }) {
  const all = sheet.value?.joints ?? [];
  const [first, second] = known.joints;
  const side = (joint: number, centres: readonly number[]): string =>
    t("kinematics.starts.range", {
      joint: all[joint]?.name ?? "",
      from: number(centres[0] ?? 0, 0),
      to: measure(centres.at(-1) ?? 0, 0, all[joint]?.unit ?? "°"),
    });
  return (
    <p class="quiet">
      {`→ ${side(first, known.across)}`}
      <br />
      {`↑ ${side(second, known.up)}`}
    </p>
  );
}

function cellText(known: StartMapReport, { column, row }: Cell): string {
  const all = sheet.value?.joints ?? [];
  const [first, second] = known.joints;
  const value = (joint: number, of: number | undefined): string =>
    `${all[joint]?.name ?? ""} ${measure(of ?? 0, 1, all[joint]?.unit ?? "°")}`;
  const solution = known.solutions[known.solution[row]?.[column] ?? -1];
  const end = solution === undefined ? t("kinematics.starts.failed") : branchWords(solution.branch);
  const at = `${value(first, known.across[column])}, ${value(second, known.up[row])}`;
  return `${at}: ${end}, ${t("kinematics.starts.steps", { n: known.steps[row]?.[column] ?? 0 })}`;
}

function Legend({ known }: { known: StartMapReport }) {
  const all = sheet.value?.joints ?? [];
  const failed = failedOf(known);
  const total = known.across.length * known.up.length;
  const share = (cells: number): string => `${number((100 * cells) / total, 0)} %`;
  return (
    <>
      {known.is_continuum && <p class="hint">{t("kinematics.starts.continuum")}</p>}
      <ul class="kinematics-map-legend">
        {known.solutions.map(({ q, branch, cells }, i) => (
          <li key={i} data-map-solution={branch}>
            <span class="kinematics-swatch" style={{ background: `var(--series-${(i % SERIES) + 1})` }} />
            <span>
              {branchWords(branch)}, {share(cells)}
              {!known.is_continuum && (
                <span class="quiet">
                  {" "}
                  {q
                    .map((value, j) => `${all[j]?.name ?? ""} ${measure(value, 1, all[j]?.unit ?? "°")}`)
                    .join(", ")}
                </span>
              )}
            </span>
          </li>
        ))}
        {failed > 0 && (
          <li data-map-solution="failed">
            <span class="kinematics-swatch" data-failed="" />
            <span>
              {t("kinematics.starts.failed")}, {share(failed)}
            </span>
          </li>
        )}
      </ul>
    </>
  );
}

function StepsLegend({ known }: { known: StartMapReport }) {
  const { least, most } = rangeOf(known);
  return (
    <p class="row kinematics-map-scale">
      {least}
      <span class="kinematics-map-bar" />
      {t("kinematics.starts.steps", { n: most })}
    </p>
  );
}

function failedOf(known: StartMapReport): number {
  return known.solution.flat().filter((solution) => solution < 0).length;
}

function rangeOf(known: StartMapReport): { least: number; most: number } {
  const reached = known.steps.flat().filter((_, i) => (known.solution.flat()[i] ?? -1) >= 0);
  if (reached.length === 0) return { least: 0, most: 0 };
  return {
    least: reached.reduce((a, b) => Math.min(a, b)),
    most: reached.reduce((a, b) => Math.max(a, b)),
  };
}

/** One pixel per cell; the second joint goes up. */
function paint(canvas: HTMLCanvasElement, known: StartMapReport, colour: Colouring): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const series = Array.from({ length: SERIES }, (_, i) => token(`--series-${i + 1}`));
  const failed = token("--surface-sunk");
  const accent = token("--accent");
  const size = known.up.length;
  const { least, most } = rangeOf(known);
  context.clearRect(0, 0, size, size);
  known.solution.forEach((cells, row) => {
    cells.forEach((solution, column) => {
      const steps = known.steps[row]?.[column] ?? 0;
      const share = Math.log((steps + 1) / (least + 1)) / Math.max(Math.log((most + 1) / (least + 1)), 1e-9);
      context.globalAlpha = solution < 0 || colour === "solution" ? 1 : 0.12 + 0.88 * share;
      context.fillStyle =
        solution < 0 ? failed : colour === "solution" ? (series[solution % SERIES] ?? accent) : accent;
      context.fillRect(column, size - 1 - row, 1, 1);
    });
  });
}
