/** The head of the workbench: what is on the bench, undo, structure, recording, stop, and the page's own settings. */

import { useSignal } from "@preact/signals";
import { record } from "../acts";
import { hasSeveral, selectedArm } from "../arms";
import { armTitle } from "../arm-title";
import { sheet } from "../catalog";
import { t } from "../i18n";
import { followSlow, is, live } from "../live";
import { Icon } from "../parts/icon";
import { IconButton } from "../parts/icon-button";
import { LiveNumber } from "../parts/live-number";
import { Segments } from "../parts/segments";
import { StopButton } from "../parts/stop-button";
import { doc, edit, project, redo, undo } from "../project";
import type { Project } from "../protocol.gen";
import { clock, recordedSeconds } from "../recording";
import { HelpDialog } from "./help-dialog";
import { shape, sizes, drawerOpen, toggle } from "./layout";
import { ProjectMenu } from "./project-menu";
import { Settings } from "./settings";

type Structure = Project["structure"];
const STRUCTURES: readonly Structure[] = ["hierarchy", "joints", "articulation"];

export function Header() {
  const isTreeOpen = shape.value === "wide" ? sizes.value.leftOpen : drawerOpen.value;
  return (
    <header class="header">
      <div class="header-group brand">
        <IconButton
          icon="menu"
          label={t(isTreeOpen ? "tree.close" : "tree.open")}
          aria-expanded={isTreeOpen}
          aria-controls="tree"
          onClick={() => toggle("left")}
        />
        <Mark />
        <h1>armlab</h1>
      </div>
      <ProjectMenu arm={armWords()} />
      <UndoButtons />
      <StructureSwitch />
      <span class="header-space" />
      <RecordButton />
      <StopButton />
      <HelpButton />
      <Settings />
    </header>
  );
}

/** What the selected arm is; where there are several, with its name in the scene. */
function armWords(): string {
  const title = sheet.value === null ? "" : armTitle(sheet.value);
  return hasSeveral.value ? `${selectedArm.value} · ${title}` : title;
}

function UndoButtons() {
  const { undo: last, redo: next } = doc.value ?? { undo: null, redo: null };
  return (
    <div class="header-group undo" role="group" aria-label={t("edit.label")}>
      <IconButton
        icon="undo"
        label={last === null ? t("edit.undo") : t("edit.undoWhat", { what: last })}
        disabled={last === null}
        onClick={undo}
      />
      <IconButton
        icon="redo"
        label={next === null ? t("edit.redo") : t("edit.redoWhat", { what: next })}
        disabled={next === null}
        onClick={redo}
      />
    </div>
  );
}

/** How the arm is held together in the simulation, and what that costs: the gap in the joints, and energy. */
function StructureSwitch() {
  const chosen = project.value?.structure ?? "articulation";
  const choices = STRUCTURES.map((id) => ({
    id,
    title: t(`structure.${id}`),
    hint: t(`structure.${id}Hint`),
  }));
  const choose = (structure: Structure): void => {
    void edit(t("structure.edit", { name: t(`structure.${structure}`) }), (before) => ({
      ...before,
      structure,
    }));
  };
  return (
    <div class="header-group structure">
      <span class="caption">{t("structure.label")}</span>
      <Segments label={t("structure.label")} choices={choices} chosen={chosen} onChoose={choose} />
      <dl class="read-outs">
        <div title={t("structure.gapHint")}>
          <dt>{t("structure.gap")}</dt>
          <dd data-read="gap">
            <LiveNumber of={() => live.gap} digits={3} unit="mm" />
          </dd>
        </div>
        <div title={t("structure.energyHint")}>
          <dt>{t("structure.energy")}</dt>
          <dd data-read="energy">
            <LiveNumber of={() => live.kinetic + live.potential} digits={1} unit="J" />
          </dd>
        </div>
      </dl>
    </div>
  );
}

function RecordButton() {
  const isRecording = is("recording");
  return (
    <button
      type="button"
      class="record-button"
      aria-pressed={isRecording}
      aria-label={t("record.label")}
      title={t(isRecording ? "record.stop" : "record.start")}
      onClick={() => record(!isRecording)}
    >
      <Icon name="record" />
      {isRecording ? <RecordTime /> : <span>{t("record.label")}</span>}
    </button>
  );
}

/** How long the recording has run: also seen where there is no room for words. */
function RecordTime() {
  followSlow();
  return <time class="record-time">{clock(recordedSeconds() ?? 0)}</time>;
}

function HelpButton() {
  const isOpen = useSignal(false);
  return (
    <>
      <IconButton icon="help" label={t("help.open")} onClick={() => (isOpen.value = true)} />
      <HelpDialog open={isOpen.value} onClose={() => (isOpen.value = false)} />
    </>
  );
}

/** A small arm: base, elbow, hand. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="plate" />
      <path d="M7 26h10M12 26v-5M13.200 17.400L17.800 9.300M20.600 8.800L25 13.500" class="bones" />
      <circle cx="12" cy="19.200" r="2.100" class="bones" />
      <circle cx="19" cy="7.400" r="2.100" class="bones" />
    </svg>
  );
}
