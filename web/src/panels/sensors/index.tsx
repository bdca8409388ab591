/** Sensors of the arm, on links and on objects: put there from a list or by a click, their signals, drift and files. */

import { useEffect } from "preact/hooks";
import { number, t, unit } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import { Section } from "../../parts/section";
import { layout } from "../../project";
import type { SensorChoice } from "../../protocol.gen";
import { sensed } from "../../sensed";
import { Allan, Drift, Signals } from "./charts";
import { hasPlace } from "./buffer";
import { showInView } from "./in-view";
import {
  addSensor,
  changeSensor,
  chosen,
  failure,
  fileAddress,
  follow,
  isEstimated,
  isPlacing,
  kind,
  KINDS,
  MOST,
  movable,
  picked,
  type Place,
  place,
  preset,
  presets,
  RATES,
  removeSensor,
  sensors,
  showsGhost,
} from "./state";
import "./sensors.css";

const COORDINATES = ["X", "Y", "Z", "A", "B", "C"] as const;
const FILES = ["csv", "mcap", "parquet"] as const;
const FARTHEST_MM = 10_000;
const MOST_LATENCY_MS = 10_000;
const MOST_NOISE = 1e6;
const MOST_SEED = 2 ** 32 - 1;
/** Of the noise of a kind. */
const UNITS = {
  encoders: "°",
  torques: "N·m",
  wrench: "N",
  laser: "mm",
  proximity: "mm",
  contact: "N",
} as const;

export default function SensorsPanel() {
  useEffect(follow, []);
  useEffect(showInView, []);
  const sensor = chosen.value;
  return (
    <div class="sensors">
      <AddSensor />
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {sensor === null ? (
        <p class="quiet">{t("sensors.none")}</p>
      ) : (
        <div class="sensors-columns">
          <div>
            <ul class="sensors-list" aria-label={t("sensors.list")}>
              {sensors.value.map((one) => (
                <SensorRow key={one.id} sensor={one} isChosen={one.id === sensor.id} />
              ))}
            </ul>
            {hasPlace(sensor) && <PlaceOn sensor={sensor} />}
            <Settings sensor={sensor} />
            {isEstimated.value && <Estimate />}
            <Files sensor={sensor} />
          </div>
          <div>
            <Section id="sensors.signals" title={t("sensors.signals")} help={t("sensors.signalsHelp")}>
              <Signals sensor={sensor} />
            </Section>
            {sensor.kind === "imu" && (
              <>
                <Section id="sensors.drift" title={t("sensors.drift")} help={t("sensors.driftHelp")}>
                  <Drift />
                </Section>
                <Section
                  id="sensors.allan"
                  title={t("sensors.allan")}
                  help={t("sensors.allanHelp")}
                  open={false}
                >
                  <Allan />
                </Section>
              </>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function AddSensor() {
  const links = (layout.value?.links ?? []).map((link): Place => ({ on: "link", link }));
  const bodies = movable.value.map((link): Place => ({ on: "body", link }));
  const all = [...links, ...bodies];
  const at = all.find((one) => keyOf(one) === keyOf(place.value)) ?? links.at(-1) ?? all[0];
  const isFull = sensors.value.length >= MOST;
  const isPlaced = hasPlace({ kind: kind.value });
  const where = isPlaced ? at : links.at(-1);
  return (
    <div class="sensors-add">
      <KindChoice />
      {isPlaced && (
        <label>
          {t("sensors.on")}
          <select
            value={at === undefined ? "" : keyOf(at)}
            aria-label={t("sensors.on")}
            onChange={({ currentTarget: { value } }) =>
              (place.value = all.find((one) => keyOf(one) === value) ?? place.value)
            }
          >
            <Places label={t("sensors.links")} places={links} />
            {bodies.length > 0 && <Places label={t("scene.bodies.heading")} places={bodies} />}
          </select>
        </label>
      )}
      {kind.value === "imu" && (
        <label>
          {t("sensors.preset")}
          <Presets value={preset.value} onChoose={(name) => (preset.value = name)} />
        </label>
      )}
      <button
        type="button"
        class="primary"
        disabled={isFull || where === undefined}
        onClick={() => where !== undefined && addSensor(where, null)}
      >
        {t("sensors.add")}
      </button>
      <button
        type="button"
        aria-pressed={isPlacing.value}
        disabled={isFull || !isPlaced}
        onClick={() => (isPlacing.value = !isPlacing.value)}
      >
        {t("sensors.click")}
      </button>
      <span class="hint" role="status">
        {isPlacing.value ? t("sensors.clickNow") : t("sensors.count", { n: sensors.value.length })}
      </span>
      <Help text={t("sensors.help")} about={t("sensors.title")} />
    </div>
  );
}

function KindChoice() {
  return (
    <label>
      {t("sensors.kind")}
      <select
        value={kind.value}
        aria-label={t("sensors.kind")}
        onChange={({ currentTarget: { value } }) =>
          (kind.value = KINDS.find((one) => one === value) ?? kind.value)
        }
      >
        {KINDS.map((one) => (
          <option key={one} value={one}>
            {t(`sensors.kind.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

const keyOf = ({ on, link }: Place): string => `${on}:${link}`;

function Places({ label, places }: { label: string; places: readonly Place[] }) {
  return (
    <optgroup label={label}>
      {places.map((one) => (
        <option key={keyOf(one)} value={keyOf(one)}>
          {one.link}
        </option>
      ))}
    </optgroup>
  );
}

function Presets({ value, onChoose }: { value: string; onChoose: (name: string) => void }) {
  const known = presets.value.length === 0 ? [{ name: value, source: "" }] : presets.value;
  return (
    <select
      value={value}
      aria-label={t("sensors.preset")}
      title={known.find(({ name }) => name === value)?.source}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {known.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function SensorRow({ sensor, isChosen }: { sensor: SensorChoice; isChosen: boolean }) {
  return (
    <li data-sensor={sensor.id} data-chosen={isChosen ? "" : undefined}>
      <button
        type="button"
        class="sensors-pick"
        aria-pressed={isChosen}
        onClick={() => (picked.value = sensor.id)}
      >
        {nameOf(sensor)}
      </button>
      {sensor.kind === "imu" ? (
        <Presets value={sensor.preset} onChoose={(name) => changeSensor(sensor.id, { preset: name })} />
      ) : (
        hasPlace(sensor) && <span class="quiet">{t(`sensors.kind.${sensor.kind}`)}</span>
      )}
      <IconButton
        icon="delete"
        label={t("sensors.remove", { link: hasPlace(sensor) ? sensor.link : nameOf(sensor) })}
        onClick={() => removeSensor(sensor)}
      />
    </li>
  );
}

/** Return what a sensor is called in the list: what it sits on, or what it measures of the arm. */
function nameOf(sensor: SensorChoice): string {
  if (!hasPlace(sensor)) return t(`sensors.kind.${sensor.kind}`);
  return sensor.on === "link" ? sensor.link : t("sensors.object", { name: sensor.link });
}

/** How often, how late and how badly it reads. */
function Settings({ sensor }: { sensor: SensorChoice }) {
  const { id, kind: what, rate, latency, noise, seed } = sensor;
  const change = (changed: Partial<SensorChoice>) => changeSensor(id, changed);
  return (
    <fieldset class="sensors-place" aria-label={t("sensors.settings")}>
      <label class="sensors-rate">
        {t("sensors.rate")}
        <select
          value={rate}
          aria-label={t("sensors.rate")}
          onChange={(event) => change({ rate: Number(event.currentTarget.value) })}
        >
          {[...new Set([...RATES, rate])].map((hz) => (
            <option key={hz} value={hz}>
              {number(hz, 1)}
            </option>
          ))}
        </select>
      </label>
      <NumberField
        label={t("sensors.latency")}
        unit="ms"
        value={latency}
        digits={1}
        lower={0}
        upper={MOST_LATENCY_MS}
        onCommit={(value) => change({ latency: value })}
      />
      {what !== "imu" && (
        <NumberField
          label={t("sensors.noise")}
          unit={UNITS[what]}
          value={noise}
          digits={3}
          lower={0}
          upper={MOST_NOISE}
          onCommit={(value) => change({ noise: value })}
        />
      )}
      <NumberField
        label={t("sensors.seed")}
        value={seed ?? sensors.value.indexOf(sensor)}
        digits={0}
        lower={0}
        upper={MOST_SEED}
        onCommit={(value) => change({ seed: Math.round(value) })}
      />
    </fieldset>
  );
}

/** Where the sensor sits on its link or object. */
function PlaceOn({ sensor }: { sensor: SensorChoice }) {
  return (
    <fieldset class="sensors-place" aria-label={t("sensors.place")}>
      {COORDINATES.map((name, i) => (
        <NumberField
          key={name}
          label={name}
          unit={i < 3 ? "mm" : "°"}
          value={sensor.pose[i] ?? 0}
          digits={1}
          lower={i < 3 ? -FARTHEST_MM : -360}
          upper={i < 3 ? FARTHEST_MM : 360}
          onCommit={(value) => {
            const [x, y, z, a, b, c] = sensor.pose.map((old, k) => (k === i ? value : old));
            changeSensor(sensor.id, { pose: [x ?? 0, y ?? 0, z ?? 0, a ?? 0, b ?? 0, c ?? 0] });
          }}
        />
      ))}
    </fieldset>
  );
}

function Estimate() {
  const { estimatedError: off, commandedError: told } = sensed.value;
  if (off === null && told !== null) return <p class="quiet">{t("sensors.noEstimate")}</p>;
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={showsGhost.value}
          onChange={(event) => (showsGhost.value = event.currentTarget.checked)}
        />{" "}
        {t("sensors.ghost")}
      </label>{" "}
      <output data-estimate={off ?? ""} title={t("sensors.errorHint")}>
        {off === null ? "–" : `${number(off, 3)} ${unit("°")}`}
      </output>
    </p>
  );
}

function Files({ sensor }: { sensor: SensorChoice }) {
  return (
    <div class="sensors-files" role="group" aria-label={t("sensors.download")}>
      <Icon name="download" />
      {FILES.filter((file) => file !== "mcap" || sensor.kind === "imu").map((file) => (
        <a key={file} href={fileAddress(sensor.id, file)} download>
          {t(`sensors.file.${file}`)}
        </a>
      ))}
    </div>
  );
}
