/** The singularity meter: condition, σmin and manipulability where the arm stands, and which singularity is near. */

import { useEffect } from "preact/hooks";
import { moveJoints } from "../../acts";
import { measure, number, t } from "../../i18n";
import { Section } from "../../parts/section";
import type { SingularityReport } from "../../protocol.gen";
import { drawEllipsoid } from "./ellipsoid";
import { followMeter, levelOf, meter, near, showEllipsoid, showsEllipsoid } from "./meter-state";
import { shareOfBar } from "./numbers";
import { scientific, statusTurnText } from "./words";

const DIRECT = 1e4;

export function Meter() {
  return (
    <Section id="kinematics.meter" title={t("kinematics.meter")} help={t("kinematics.meter.help")}>
      <Body />
    </Section>
  );
}

function Body() {
  useEffect(followMeter, []);
  useEffect(drawEllipsoid, []);
  const now = meter.value;
  return (
    <>
      {now === null ? <p class="quiet">{t("kinematics.asking")}</p> : <Numbers now={now} />}
      <Nearest />
      <label class="kinematics-switch">
        <input
          type="checkbox"
          checked={showsEllipsoid.value}
          onChange={(event) => showEllipsoid(event.currentTarget.checked)}
        />
        {t("kinematics.meter.ellipsoid")}
      </label>
      {showsEllipsoid.value && now !== null && (
        <p class="hint">
          {t("kinematics.meter.radii", {
            radii: now.ellipsoid.radii.map((radius) => number(radius, 1)).join(" × "),
          })}
        </p>
      )}
    </>
  );
}

function Numbers({ now }: { now: SingularityReport }) {
  const { condition, smallest, manipulability, kuka } = now;
  const text = condition === null || condition > DIRECT ? "∞" : number(condition, 1);
  return (
    <>
      <div
        class="kinematics-meter"
        role="meter"
        aria-label={t("kinematics.meter.bar")}
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={Number(shareOfBar(condition).toFixed(3))}
        aria-valuetext={t("kinematics.meter.said", { condition: text })}
        data-level={levelOf(now)}
      >
        <span style={{ width: `${(100 * shareOfBar(condition)).toFixed(1)}%` }} />
      </div>
      <dl class="kinematics-values" data-kind="meter">
        <div>
          <dt>{t("kinematics.meter.condition")}</dt>
          <dd data-meter="condition">{text}</dd>
        </div>
        <div>
          <dt>
            σ<sub>min</sub>
          </dt>
          <dd data-meter="smallest">{scientific(smallest)}</dd>
        </div>
        <div>
          <dt>{t("kinematics.meter.manipulability")}</dt>
          <dd data-meter="manipulability">{scientific(manipulability)}</dd>
        </div>
        {kuka !== null && (
          <div>
            <dt>{t("kinematics.meter.kuka")}</dt>
            <dd data-meter="kuka" title={t("kinematics.kuka.hint")}>
              {statusTurnText(kuka)}
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** What is singular here, or where the nearest singularity is; known once the arm rests. */
function Nearest() {
  const found = near.value;
  const kinds = found?.kinds ?? [];
  const nearest = found?.nearest ?? null;
  return (
    <div class="kinematics-near" aria-live="polite">
      {found === null ? (
        <p class="quiet">{t("kinematics.meter.searching")}</p>
      ) : kinds.length > 0 ? (
        <p data-singular={kinds.join(" ")}>
          {t("kinematics.meter.here", { kinds: kinds.map(kindWord).join(", ") })}
        </p>
      ) : nearest === null ? (
        <p class="quiet">{t("kinematics.meter.none")}</p>
      ) : (
        <p data-near={nearest.kind}>
          {t("kinematics.meter.near", {
            kind: kindWord(nearest.kind),
            distance: measure(nearest.distance, 1, "°"),
          })}{" "}
          <button type="button" class="small" onClick={() => moveJoints(nearest.q)}>
            {t("kinematics.meter.go")}
          </button>
        </p>
      )}
    </div>
  );
}

type Kind = "shoulder" | "elbow" | "wrist" | "other";

function kindWord(kind: string): string {
  return t(`kinematics.singular.${kind as Kind}`);
}
