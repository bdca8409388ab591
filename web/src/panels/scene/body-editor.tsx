/** The chosen body in numbers: size, place, mass, friction, colour; and the handles in the view that move it. */

import { signal } from "@preact/signals";
import { t } from "../../i18n";
import { NumberField } from "../../parts/number-field";
import { Segments } from "../../parts/segments";
import type { BodyTable } from "../../protocol.gen";
import { changeBody, renameBody } from "./acts";
import { ALWAYS_FIXED, bodyAt, isFixed, poseOfBody, SIZE_NAMES } from "./bodies";
import { dragged, handles, handleAxes, useHandles } from "./handles";
import { Now } from "./now";

const SMALLEST = 1;
const LARGEST = 20_000;
const FAR = 100_000;
const FRICTION = 0.6;
const MASS = 0.5;
/** The mass that a body had before it was fixed. */
const massBefore = signal<ReadonlyMap<string, number>>(new Map());

export function BodyEditor({ body }: { body: BodyTable }) {
  useHandles();
  return (
    <div class="scene-editor" data-edited={body.name}>
      <NameAndColour body={body} />
      <Place body={body} />
      <Now body={body} />
      <Size body={body} />
      <Physics body={body} />
    </div>
  );
}

function NameAndColour({ body }: { body: BodyTable }) {
  return (
    <div class="scene-pair">
      <label class="field">
        <span class="field-label">{t("scene.name")}</span>
        <input
          class="text-field"
          type="text"
          maxLength={60}
          value={body.name}
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = body.name;
            void renameBody(body.name, value);
          }}
        />
      </label>
      <label class="field scene-colour">
        <span class="field-label">{t("scene.colour")}</span>
        <input
          type="color"
          value={body.colour ?? "#8a94a6"}
          onChange={(event) => {
            const { value: colour } = event.currentTarget;
            void changeBody(body.name, (before) => ({ ...before, colour }));
          }}
        />
      </label>
    </div>
  );
}

function Size({ body }: { body: BodyTable }) {
  const names = SIZE_NAMES[body.kind];
  const { size } = body;
  if (names === undefined || size === null) return <p class="hint">{t("scene.size.none")}</p>;
  const set = (index: number, value: number): void =>
    void changeBody(body.name, (before) => ({
      ...before,
      size: (before.size ?? size).map((old, i) => (i === index ? value : old)),
    }));
  return (
    <fieldset class="scene-set">
      <legend>{t("scene.size.heading")}</legend>
      <div class="scene-three">
        {names.map((name, i) => (
          <NumberField
            key={name}
            label={t(`scene.size.${name}`)}
            value={size[i] ?? 0}
            unit="mm"
            digits={1}
            lower={SMALLEST}
            upper={LARGEST}
            step={10}
            onCommit={(value) => set(i, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

const AXES = ["X", "Y", "Z"] as const;
const TURNS = ["yaw", "pitch", "roll"] as const;

function Place({ body }: { body: BodyTable }) {
  const moving = dragged.value;
  const pose = moving?.name === body.name ? moving.pose : poseOfBody(body);
  const set = (index: number, value: number): void =>
    void changeBody(body.name, (before) => {
      const [x, y, z, a, b, c] = poseOfBody(before).map((old, i) => (i === index ? value : old));
      return bodyAt(before, [x ?? 0, y ?? 0, z ?? 0, a ?? 0, b ?? 0, c ?? 0]);
    });
  return (
    <fieldset class="scene-set">
      <legend>{t("scene.place.heading")}</legend>
      <div class="row scene-handles">
        <Segments
          label={t("scene.handles.label")}
          choices={(["translate", "rotate"] as const).map((id) => ({ id, title: t(`scene.handles.${id}`) }))}
          chosen={handles.value}
          onChoose={(id) => (handles.value = id)}
        />
        <Segments
          label={t("scene.axes.label")}
          choices={(["tool", "world"] as const).map((id) => ({ id, title: t(`scene.axes.${id}`) }))}
          chosen={handleAxes.value}
          onChoose={(id) => (handleAxes.value = id)}
        />
      </div>
      <div class="scene-three">
        {AXES.map((name, i) => (
          <NumberField
            key={name}
            label={name}
            value={pose[i] ?? 0}
            unit="mm"
            digits={1}
            lower={-FAR}
            upper={FAR}
            step={10}
            onCommit={(value) => set(i, value)}
          />
        ))}
        {[5, 4, 3].map((i) => (
          <NumberField
            key={i}
            label={t(`scene.place.${TURNS[i - 3] ?? "yaw"}`)}
            value={pose[i] ?? 0}
            unit="°"
            digits={1}
            lower={-360}
            upper={360}
            step={5}
            onCommit={(value) => set(i, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Physics({ body }: { body: BodyTable }) {
  const { name, kind, mass, friction, speed } = body;
  const set = (change: Partial<BodyTable>): void =>
    void changeBody(name, (before) => ({ ...before, ...change }));
  const setLoose = (isLoose: boolean): void => {
    if (!isLoose && mass !== null) massBefore.value = new Map([...massBefore.value, [name, mass]]);
    set({ mass: isLoose ? (massBefore.value.get(name) ?? MASS) : null });
  };
  return (
    <fieldset class="scene-set">
      <legend>{t("scene.physics.heading")}</legend>
      {!ALWAYS_FIXED.has(kind) && (
        <Segments
          label={t("scene.physics.label")}
          choices={(["fixed", "loose"] as const).map((id) => ({ id, title: t(`scene.physics.${id}`) }))}
          chosen={isFixed(body) ? "fixed" : "loose"}
          onChoose={(id) => setLoose(id === "loose")}
        />
      )}
      <div class="scene-three">
        {mass !== null && (
          <NumberField
            label={t("scene.physics.mass")}
            value={mass}
            unit="kg"
            digits={3}
            lower={0.001}
            upper={1000}
            step={0.1}
            onCommit={(value) => set({ mass: value })}
          />
        )}
        <NumberField
          label={t("scene.physics.friction")}
          value={friction ?? FRICTION}
          digits={2}
          lower={0}
          upper={10}
          step={0.1}
          onCommit={(value) => set({ friction: value })}
        />
        {kind === "conveyor" && (
          <NumberField
            label={t("scene.physics.speed")}
            value={speed ?? 0}
            unit="mm/s"
            digits={0}
            lower={-2000}
            upper={2000}
            step={10}
            onCommit={(value) => set({ speed: value })}
          />
        )}
      </div>
    </fieldset>
  );
}
