/** The real arm: chosen, shown beside the nominal one, calibrated, and looked at by the fault clinic. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { measure, number, t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { NumberField } from "../../parts/number-field";
import { Section } from "../../parts/section";
import { Calibration } from "./calibration";
import { Clinic } from "./clinic";
import { FileButton } from "./file-button";
import { showInView } from "./in-view";
import {
  draw,
  enlarge,
  FACTORS,
  follow,
  MOST_SEED,
  openReal,
  pose,
  real,
  realAddress,
  refusal,
  removeReal,
  showsGhost,
  type Tolerance,
  TOLERANCES,
} from "./state";
import "./real.css";

export default function RealArmPanel() {
  useEffect(follow, []);
  useEffect(showInView, []);
  return (
    <div class="real">
      <div class="real-columns">
        <Section id="real.choice" title={t("real.choice")} help={t("real.help")} open="always">
          <Choice />
          {refusal.value !== null && <FailureNote failure={refusal.value} />}
          <Beside />
        </Section>
        <div class="real-work">
          <Section id="real.calibration" title={t("real.calibration")} help={t("real.calibrationHelp")}>
            <Calibration />
          </Section>
          <Section id="real.clinic" title={t("real.clinic")} help={t("real.clinicHelp")}>
            <Clinic />
          </Section>
        </div>
      </div>
    </div>
  );
}

function Choice() {
  const chosen = real.value?.kind === "drawn" ? real.value : null;
  const nextTolerance = useSignal<Tolerance>("industrial");
  const nextSeed = useSignal(1);
  const tolerance = chosen?.tolerance ?? nextTolerance.value;
  const seed = chosen?.seed ?? nextSeed.value;
  const change = (within: Tolerance, from: number): void => {
    nextTolerance.value = within;
    nextSeed.value = from;
    if (chosen !== null) void draw(within, from);
  };
  return (
    <div class="real-form">
      <label>
        {t("real.tolerance")}
        <select
          aria-label={t("real.tolerance")}
          value={tolerance}
          onChange={(event) => change(event.currentTarget.value as Tolerance, seed)}
        >
          {TOLERANCES.map((name) => (
            <option key={name} value={name}>
              {t(`real.tolerance.${name}`)}
            </option>
          ))}
        </select>
      </label>
      <NumberField
        label={t("real.seed")}
        value={seed}
        digits={0}
        lower={0}
        upper={MOST_SEED}
        onCommit={(value) => change(tolerance, Math.round(value))}
      />
      {chosen === null && (
        <button type="button" class="primary" onClick={() => void draw(tolerance, seed)}>
          {t("real.draw")}
        </button>
      )}
      <FileButton label={t("real.open")} accept=".toml" onFile={(file) => void openReal(file)} />
      {real.value !== null && (
        <button type="button" onClick={() => void removeReal()}>
          {t("real.remove")}
        </button>
      )}
    </div>
  );
}

/** Nominal and real beside each other: the distance of the tools now, and the ghost in the view. */
function Beside() {
  const now = pose.value;
  if (real.value === null) return <p class="quiet">{t("real.none")}</p>;
  return (
    <div class="real-beside">
      <p class="real-distance">
        {t("real.distance")}{" "}
        <output data-distance={now?.distance ?? ""}>
          {now === null ? "–" : measure(now.distance, 3, "mm")}
        </output>
      </p>
      <p class="hint">
        {now === null
          ? "–"
          : t("real.shift", {
              x: number(now.shift[0], 3),
              y: number(now.shift[1], 3),
              z: number(now.shift[2], 3),
              turn: measure(now.turn, 3, "°"),
            })}
      </p>
      <div class="real-form" role="group" aria-label={t("real.enlarge")}>
        <label class="real-check">
          <input
            type="checkbox"
            checked={showsGhost.value}
            onChange={(event) => (showsGhost.value = event.currentTarget.checked)}
          />
          {t("real.ghost")}
        </label>
        {FACTORS.map((factor) => (
          <button
            key={factor}
            type="button"
            aria-pressed={enlarge.value === factor}
            onClick={() => (enlarge.value = factor)}
          >
            ×{factor}
          </button>
        ))}
      </div>
      <div class="real-files">
        <a href={realAddress()} download="real.toml">
          {t("real.download")}
        </a>
        <span class="hint">{real.value.kind === "file" ? t("real.fromFile") : t("real.fromDraw")}</span>
      </div>
    </div>
  );
}
