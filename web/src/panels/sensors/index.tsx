/** Inertial sensors on links and objects: put there from a list or by a click, their signals, drift, noise and files. */

import { useEffect } from "preact/hooks";
import { number, t, unit } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Help } from "../../parts/help";
import { Icon } from "../../parts/icon";
import { IconButton } from "../../parts/icon-button";
import { NumberField } from "../../parts/number-field";
import { Section } from "../../parts/section";
import { layout } from "../../project";
import type { ImuChoice } from "../../protocol.gen";
import { Allan, Drift, Signals } from "./charts";
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
  MOST,
  movable,
  newest,
  picked,
  type Place,
  place,
  preset,
  presets,
  removeSensor,
  sensors,
  showsGhost,
} from "./state";
import "./sensors.css";

const COORDINATES = ["X", "Y", "Z", "A", "B", "C"] as const;
const FILES = ["csv", "mcap", "parquet"] as const;
const FARTHEST_MM = 10_000;

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
            <PlaceOn sensor={sensor} />
            {isEstimated.value && <Estimate />}
            <Files sensor={sensor} />
          </div>
          <div>
            <Section id="sensors.signals" title={t("sensors.signals")} help={t("sensors.signalsHelp")}>
              <Signals sensor={sensor} />
            </Section>
            <Section id="sensors.drift" title={t("sensors.drift")} help={t("sensors.driftHelp")}>
              <Drift />
            </Section>
            <Section id="sensors.allan" title={t("sensors.allan")} help={t("sensors.allanHelp")} open={false}>
              <Allan />
            </Section>
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
  return (
    <div class="sensors-add">
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
      <label>
        {t("sensors.preset")}
        <Presets value={preset.value} onChoose={(name) => (preset.value = name)} />
      </label>
      <button
        type="button"
        class="primary"
        disabled={isFull || at === undefined}
        onClick={() => at !== undefined && addSensor(at, null)}
      >
        {t("sensors.add")}
      </button>
      <button
        type="button"
        aria-pressed={isPlacing.value}
        disabled={isFull}
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

function SensorRow({ sensor, isChosen }: { sensor: ImuChoice; isChosen: boolean }) {
  return (
    <li data-sensor={sensor.id} data-chosen={isChosen ? "" : undefined}>
      <button
        type="button"
        class="sensors-pick"
        aria-pressed={isChosen}
        onClick={() => (picked.value = sensor.id)}
      >
        {sensor.on === "link" ? sensor.link : t("sensors.object", { name: sensor.link })}
      </button>
      <Presets value={sensor.preset} onChoose={(name) => changeSensor(sensor.id, { preset: name })} />
      <IconButton
        icon="delete"
        label={t("sensors.remove", { link: sensor.link })}
        onClick={() => removeSensor(sensor)}
      />
    </li>
  );
}

/** Where the sensor sits on its link or object. */
function PlaceOn({ sensor }: { sensor: ImuChoice }) {
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
  const off = newest.value?.estimated_error ?? null;
  if (off === null && (newest.value?.commanded_error ?? null) !== null)
    return <p class="quiet">{t("sensors.noEstimate")}</p>;
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

function Files({ sensor }: { sensor: ImuChoice }) {
  return (
    <div class="sensors-files" role="group" aria-label={t("sensors.download")}>
      <Icon name="download" />
      {FILES.map((kind) => (
        <a key={kind} href={fileAddress(sensor.id, kind)} download>
          {t(`sensors.file.${kind}`)}
        </a>
      ))}
    </div>
  );
}
