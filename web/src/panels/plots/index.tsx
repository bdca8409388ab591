/** Plots: what the arm does over time, commanded and actual; hold, zoom, record, and take the numbers away as a file. */

import { useSignalEffect } from "@preact/signals";
import { hasSeveral, selectedArm } from "../../arms";
import { sheet } from "../../catalog";
import { t, unit } from "../../i18n";
import { Help } from "../../parts/help";
import { IconButton } from "../../parts/icon-button";
import { Segments } from "../../parts/segments";
import { QUANTITIES } from "./curves";
import { Plot, toggleHold } from "./plot";
import "./plots.css";
import { Files, RecordingNote, RecordSwitch, Replay } from "./recording";
import {
  chooseQuantity,
  chooseWindow,
  curves,
  frozen,
  plottedArm,
  quantity,
  run,
  seconds,
  showsCommand,
  WINDOWS,
  zoom,
  zoomBy,
} from "./state";
import { Values } from "./values";

export default function PlotsPanel() {
  useSignalEffect(() => {
    const data = sheet.value;
    if (data !== null && frozen.value !== null && frozen.value.arm !== plottedArm(data)) run(); // another arm
  });
  if (sheet.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  return (
    <section class="plots" aria-label={t("plots.title")} data-section="plots.curves">
      <Toolbar />
      <RecordingNote />
      <div class="plots-body">
        <Plot />
        <Values />
      </div>
    </section>
  );
}

function Toolbar() {
  const quantities = QUANTITIES.map((id) => ({
    id,
    title: t(`plots.short.${id}`),
    hint: t(`plots.long.${id}`),
  }));
  const windows = WINDOWS.map((id) => ({ id, title: `${id} ${unit("s")}`, hint: t("plots.windowHint") }));
  return (
    <div class="plots-tools">
      <Segments
        label={t("plots.quantity")}
        choices={quantities}
        chosen={quantity.value}
        onChoose={chooseQuantity}
      />
      <Help text={t("plots.help")} about={t("plots.title")} />
      {hasSeveral.value && <span class="plots-arm">{selectedArm.value}</span>}
      {curves.value.some(({ commanded }) => commanded !== null) && (
        <button
          type="button"
          class="plots-command"
          aria-pressed={showsCommand.value}
          title={t("plots.commandHint")}
          onClick={() => (showsCommand.value = !showsCommand.value)}
        >
          {t("plots.command")}
        </button>
      )}
      <span class="plots-space" />
      <Segments label={t("plots.window")} choices={windows} chosen={seconds.value} onChoose={chooseWindow} />
      <ZoomButtons />
      <RecordSwitch />
      <Replay />
      <Files />
    </div>
  );
}

function ZoomButtons() {
  const isHeld = frozen.value !== null;
  return (
    <div class="plots-zoom" role="group" aria-label={t("plots.zoom")}>
      <IconButton
        icon={isHeld ? "play" : "hold"}
        label={t(isHeld ? "plots.run" : "plots.hold")}
        aria-pressed={isHeld}
        onClick={toggleHold}
      />
      <button
        type="button"
        class="icon-button"
        aria-label={t("plots.zoomIn")}
        title={t("plots.zoomIn")}
        onClick={() => zoomBy(-1)}
      >
        +
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t("plots.zoomOut")}
        title={t("plots.zoomOut")}
        onClick={() => zoomBy(1)}
      >
        −
      </button>
      {zoom.value !== null && (
        <IconButton icon="reset" label={t("plots.whole")} onClick={() => (zoom.value = null)} />
      )}
    </div>
  );
}
