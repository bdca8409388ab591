/** The workspace overlay: where the tool can be, how well or in how many branches, cut by a plane. */

import { useEffect } from "preact/hooks";
import { measure, number, t } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import { Section } from "../../parts/section";
import { Segments } from "../../parts/segments";
import { Slider } from "../../parts/slider";
import type { VolumeReport } from "../../protocol.gen";
import { colourAt, type Colouring, mostBranches } from "./volume";
import { drawVolume } from "./volume-view";
import {
  at,
  AXES,
  choosePlane,
  colouring,
  cut,
  failure,
  followWorkspace,
  isFlat,
  isFlipped,
  isShown,
  plane,
  type Plane,
  progress,
  rangeOf,
  volume,
} from "./workspace-state";
import { scientific } from "./words";

const STOPS = [0, 0.25, 0.5, 0.75, 1];

export function WorkspaceOverlay() {
  return (
    <Section
      id="kinematics.workspace"
      title={t("kinematics.workspace")}
      help={t("kinematics.workspace.help")}
      open={false}
    >
      <Body />
    </Section>
  );
}

function Body() {
  useEffect(followWorkspace, []);
  useEffect(drawVolume, []);
  const known = volume.value;
  const done = progress.value;
  return (
    <>
      <label class="kinematics-switch">
        <input
          type="checkbox"
          checked={isShown.value}
          onChange={(event) => (isShown.value = event.currentTarget.checked)}
        />
        {t("kinematics.workspace.show")}
      </label>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {done !== null && (
        <div class="kinematics-progress" role="status">
          <progress aria-label={t("kinematics.workspace.computing")} value={done} />
          <span>
            {t("kinematics.workspace.computing")} {number(100 * done, 0)} %
          </span>
        </div>
      )}
      {known !== null && <Controls known={known} />}
    </>
  );
}

function Controls({ known }: { known: VolumeReport }) {
  const kinds: readonly Colouring[] =
    known.branches === null ? ["manipulability"] : ["manipulability", "branches"];
  return (
    <div class="kinematics-volume" data-cubes={known.reached.length}>
      <Segments<Colouring>
        label={t("kinematics.workspace.colour")}
        choices={kinds.map((id) => ({ id, title: t(`kinematics.workspace.colour.${id}`) }))}
        chosen={colouring.value}
        onChoose={(id) => (colouring.value = id)}
      />
      <Legend known={known} />
      <PlaneChoice known={known} />
      <p class="hint">
        {t("kinematics.workspace.cubes", {
          n: known.reached.length,
          side: measure(known.cell, 1, "mm"),
        })}
      </p>
    </div>
  );
}

function Legend({ known }: { known: VolumeReport }) {
  const by = colouring.value;
  const css = (share: number): string => {
    const [r, g, b] = colourAt(share).map((part) => Math.round(255 * part));
    return `rgb(${r ?? 0} ${g ?? 0} ${b ?? 0})`;
  };
  return (
    <p class="row kinematics-map-scale" data-legend={by}>
      {by === "branches" ? 1 : 0}
      <span
        class="kinematics-map-bar"
        style={{ background: `linear-gradient(to right, ${STOPS.map(css).join(", ")})` }}
      />
      {by === "branches"
        ? t("kinematics.workspace.branches", { n: mostBranches(known) })
        : scientific(known.most)}
    </p>
  );
}

function PlaneChoice({ known }: { known: VolumeReport }) {
  const planes: readonly Plane[] = [
    "none",
    ...(["x", "y", "z"] as const).filter((axis) => !isFlat(known, AXES[axis])),
  ];
  const chosen = plane.value;
  const shown = cut.value;
  const [lower, upper] = shown === null ? [0, 1] : rangeOf(known, shown.axis);
  return (
    <>
      <div class="row kinematics-from">
        <span class="quiet" aria-hidden="true">
          {t("kinematics.workspace.cut")}
        </span>
        <Segments<Plane>
          label={t("kinematics.workspace.cut")}
          choices={planes.map((id) => ({
            id,
            title: id === "none" ? t("kinematics.workspace.cut.none") : id.toUpperCase(),
          }))}
          chosen={chosen}
          onChoose={choosePlane}
        />
      </div>
      {shown !== null && (
        <div class="kinematics-cut">
          <Slider
            label={t("kinematics.workspace.at", { axis: chosen.toUpperCase() })}
            value={shown.at}
            lower={lower}
            upper={upper}
            unit="mm"
            digits={1}
            step={known.cell}
            onInput={(value) => (at.value = value)}
          />
          <span class="kinematics-member" data-cut={shown.at.toFixed(1)}>
            {`${chosen.toUpperCase()} = ${measure(shown.at, 0, "mm")}`}
          </span>
          <button type="button" class="small" onClick={() => (isFlipped.value = !isFlipped.value)}>
            {t("kinematics.workspace.flip")}
          </button>
        </div>
      )}
    </>
  );
}
