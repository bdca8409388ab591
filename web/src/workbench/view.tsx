/** The middle of the workbench: the canvas, its buttons, and words where there is nothing to draw. */

import { effect, signal, untracked, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isOld } from "../age";
import { asFailure } from "../api";
import { otherArms, otherStates, selectArm } from "../arms";
import { armShape, bodyShapes, keyOf, otherShapes, sheet, sheetFailure, shapeFailure } from "../catalog";
import { holding, jawTravel } from "../events";
import { t } from "../i18n";
import { Flag, flags, live, tick } from "../live";
import { FailureNote } from "../parts/failure";
import { isCurrent } from "../own-joints";
import { doc, layout, project, type ProjectOfArm, userFrames } from "../project";

import { deselect, select, selection } from "../selection";
import { coloursChanged } from "../theme";
import { enter, isPresenting } from "../presentation/state";
import { everyFrame, FRAME_PICK, view, wantedAim } from "../viewer/view";
import { DataAge } from "./data-age";
import { did } from "./guide";
import { overloadedLinks } from "./overload";
import type { Viewer, ViewFrom } from "../viewer/viewer";

const status = signal<"loading" | "ready" | "no-webgl">("loading");
/** The arm whose shape is on the stage. */
const shownArm = signal("");
/** The key of the shape that is on the stage, and what its arm is called in the scene. */
let shownKey = "";
let shownName = "";
/** The bodies that are on the stage, and whether the camera waits for others to come. */
let shownBodies = "";
let isWaiting = false;

export function View() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current === null ? undefined : startView(canvas.current)), []);
  return (
    <main class="view" data-old={isOld.value} aria-label={t("view.heading")}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        data-arm={shownArm.value}
        aria-label={t("view.label", { title: sheet.value?.title ?? "" })}
        onPointerDown={() => (isWaiting = false)}
        onPointerMove={(event) => {
          if (event.buttons !== 0) did("turn");
        }}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || view.value?.press(event.key) !== true) return;
          event.preventDefault();
          did("turn");
        }}
      />
      {view.value !== null && shownArm.value !== "" && <ViewButtons viewer={view.value} />}
      <Jog />
      {isPresenting.value && <Presentation />}
      <ViewNotes />
      <DataAge />
    </main>
  );
}

/** Keys, handles and the strip that move the arm, whatever panel is shown. */
function Jog() {
  const [part, setPart] = useState<{ readonly of: ComponentType } | null>(null);
  useEffect(() => void import("../panels/jog/strip").then((strip) => setPart({ of: strip.default })), []);
  return part === null ? null : <part.of />;
}

/** Tools for showing the view to others. */
function Presentation() {
  const [part, setPart] = useState<{ readonly of: ComponentType } | null>(null);
  useEffect(() => void import("../presentation").then((loaded) => setPart({ of: loaded.default })), []);
  return part === null ? null : <part.of />;
}

function ViewButtons({ viewer }: { viewer: Viewer }) {
  useSignalEffect(() => viewer.showEveryFrame(everyFrame.value));
  const sides: readonly ViewFrom[] = ["front", "side", "top"];
  return (
    <div class="view-tools" role="group" aria-label={t("view.tools")}>
      <button type="button" title={t("view.fitHint")} onClick={() => viewer.lookFrom("here")}>
        {t("view.fit")}
      </button>
      {sides.map((side) => (
        <button key={side} type="button" onClick={() => viewer.lookFrom(side)}>
          {t(`view.${side}`)}
        </button>
      ))}
      <button
        type="button"
        title={t("view.framesHint")}
        aria-pressed={everyFrame.value}
        onClick={() => (everyFrame.value = !everyFrame.value)}
      >
        {t("view.frames")}
      </button>
      {!isPresenting.value && (
        <button type="button" class="view-present" title={t("present.enterHint")} onClick={enter}>
          {t("present.enter")}
        </button>
      )}
    </div>
  );
}

function ViewNotes() {
  if (status.value === "no-webgl") return <p class="view-note">{t("view.none")}</p>;
  const failure = shapeFailure.value ?? sheetFailure.value;
  if (failure !== null && failure.code !== "network") {
    return (
      <div class="view-note">
        <p>{t("view.modelFailed")}</p>
        <FailureNote failure={failure} />
      </div>
    );
  }
  if (status.value === "loading") return <p class="view-note quiet">{t("loading.view")}</p>;
  if (shownArm.value === "") return <p class="view-note quiet">{t("loading.arm")}</p>;
  return null;
}

/** Load three, then keep the view in step with the signals until the returned function is called. */
function startView(canvas: HTMLCanvasElement): () => void {
  const stops: (() => void)[] = [];
  let isOver = false;
  void import("../viewer/viewer").then(({ Viewer: View3d }) => {
    if (isOver) return;
    let viewer: Viewer;
    try {
      viewer = new View3d(canvas);
    } catch {
      status.value = "no-webgl";
      return;
    }
    status.value = "ready";
    view.value = viewer;
    stops.push(() => viewer.dispose(), ...followSignals(viewer));
  });
  return () => {
    isOver = true;
    view.value = null;
    for (const stop of stops) stop();
  };
}

function followSignals(viewer: Viewer): (() => void)[] {
  return [
    effect(() => {
      const shape = armShape.value;
      if (shape !== null) void untracked(() => showArm(viewer, shape));
    }),
    effect(() => {
      const bodies = bodyShapes.value;
      const isCurrent = (): boolean => bodyShapes.peek() === bodies;
      viewer
        .showBodies(bodies?.glb ?? null, bodies?.names ?? [], isCurrent)
        .then(() => {
          placeNow(viewer);
          shownBodies = JSON.stringify(bodies?.names ?? []);
          if (isWaiting) lookAtArrival(viewer);
          isWaiting = false;
        })
        .catch((reason: unknown) => (shapeFailure.value = asFailure(reason)));
    }),
    effect(() => {
      if (tick.value > 0) placeNow(viewer);
    }),
    effect(() => {
      const made = project.value;
      if (made !== null) untracked(() => followSelected(viewer, made));
    }),
    effect(() => {
      const shapes = otherShapes.value;
      untracked(() => void showOthers(viewer, shapes));
    }),
    effect(() => {
      if (coloursChanged.value > 0) viewer.repaint();
    }),
    effect(() => {
      if (sheet.value !== null) viewer.setReach(sheet.value.reach);
    }),
    effect(() => viewer.showSelected(selection.value)),
    effect(() => viewer.warn(overloadedLinks())),
    effect(() => {
      const isHeld = (flags.value & Flag.holding) !== 0; // the state may tell of a release before the event does
      viewer.closeJaws(isHeld && holding.value !== null ? (jawTravel.value ?? 0) : 0);
    }),
    effect(() => {
      const chosen = selection.value?.kind === "frame" ? selection.value.name : "";
      viewer.showUserFrames(userFrames.value, chosen);
    }),
    viewer.onPick(({ kind, name }) => {
      const isTool = kind === "link" && name === armShape.peek()?.names.at(-1);
      if (isTool) select("tool");
      else if (kind === "arm") selectArm(name);
      else if (kind === "overlay" && name.startsWith(FRAME_PICK))
        select("frame", name.slice(FRAME_PICK.length));
      else if (kind === "link" || kind === "body") select(kind, name);
      else deselect();
      return true;
    }),
  ];
}

/** Move everything to where the newest state says; of several arms, a state from before another was selected says nothing. */
function placeNow(viewer: Viewer): void {
  const document = doc.peek();
  const hasOthers = (document?.layout.others.length ?? 0) > 0 || live.others.length > 0;
  if (hasOthers && !untracked(isCurrent)) return;
  viewer.place(live.frames, live.bodies);
  if (hasOthers) viewer.placeOthers(new Map([...otherStates()].map(([name, { frames }]) => [name, frames])));
}

/** Another arm is selected: where its shape is on the stage already, it changes places with the one before. */
function followSelected(viewer: Viewer, made: ProjectOfArm): void {
  const key = keyOf(made.arm);
  const before = { name: shownName, key: shownKey };
  if (made.arm_name !== shownName && shownKey !== "" && viewer.swapArm(before, made.arm_name, key)) {
    shownKey = key;
    shownArm.value = made.arm.name;
  }
  if (shownKey === key) shownName = made.arm_name;
  if (viewer.others.keep(new Set(otherArms.peek().map(({ name }) => name)))) viewer.requestDraw();
}

async function showOthers(viewer: Viewer, shapes: typeof otherShapes.value): Promise<void> {
  const isFirst = viewer.others.groups.length === 0;
  const isCurrent = (name: string) => (): boolean => otherShapes.peek().get(name) === shapes.get(name);
  try {
    const shown = await Promise.all(
      [...shapes].map(([name, { key, glb, names }]) =>
        viewer.others.show(name, key, glb, names, isCurrent(name)),
      ),
    );
    if (!shown.includes(true)) return;
    placeNow(viewer);
    viewer.requestDraw();
    if (isFirst && shownArm.peek() !== "") viewer.lookFrom("here");
  } catch (reason) {
    shapeFailure.value = asFailure(reason);
  }
}

/** Look at what has come: from the corner, or as a link says. */
function lookAtArrival(viewer: Viewer): void {
  viewer.lookFrom("corner");
  const aim = wantedAim.peek();
  if (aim !== null) viewer.showing.aim = aim;
}

/** Show the shape; by the time it is read, another arm may be on the bench. A changed arm keeps the camera. */
async function showArm(viewer: Viewer, shape: NonNullable<typeof armShape.value>): Promise<void> {
  if (shape.key === shownKey) return;
  const { name } = project.peek()?.arm ?? { name: "" };
  try {
    const isShown = await viewer.showArm(shape.glb, shape.names, () => armShape.peek() === shape);
    if (!isShown) return;
    shownKey = shape.key;
    shownName = project.peek()?.arm_name ?? "";
    placeNow(viewer);
    if (shownArm.peek() !== name) {
      lookAtArrival(viewer);
      isWaiting = JSON.stringify(layout.peek()?.bodies ?? []) !== shownBodies;
    }
    shownArm.value = name;
  } catch (reason) {
    shapeFailure.value = asFailure(reason);
  }
}
