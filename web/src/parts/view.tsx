/** The middle of the workbench: the canvas, its buttons, and words where there is nothing to draw. */

import { effect, signal, untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { asFailure } from "../api";
import { t } from "../i18n";
import { chosen, fk, model, modelFailure, sheet, sheetFailure } from "../state";
import { coloursChanged } from "../theme";
import type { ArmView, ViewFrom } from "../viewer/arm-view";
import { FailureNote } from "./failure";

type Status = "loading" | "ready" | "no-webgl";

const status = signal<Status>("loading");
/** The arm whose shape is on the stage. */
const shownArm = signal("");
/** Whether the frame of every link is shown, or only base and tool. */
const everyFrame = signal(false);
let reading = "";

export function View() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useSignal<ArmView | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const stop = startView(element, (started) => (view.value = started));
    return stop;
  }, []);
  return (
    <main class="view" aria-label={t("view.heading")}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        data-arm={shownArm.value}
        aria-label={t("view.label", { title: sheet.value?.title ?? "" })}
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey && view.value?.press(event.key) === true)
            event.preventDefault();
        }}
      />
      {view.value !== null && shownArm.value !== "" && <ViewButtons view={view.value} />}
      <ViewNotes />
    </main>
  );
}

function ViewButtons({ view }: { view: ArmView }) {
  useSignalEffect(() => view.showEveryFrame(everyFrame.value));
  const sides: readonly ViewFrom[] = ["front", "side", "top"];
  return (
    <div class="view-tools" role="group" aria-label={t("view.tools")}>
      <button type="button" title={t("view.fitHint")} onClick={() => view.lookFrom("corner")}>
        {t("view.fit")}
      </button>
      {sides.map((side) => (
        <button key={side} type="button" onClick={() => view.lookFrom(side)}>
          {t(`view.${side as "front" | "side" | "top"}`)}
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
    </div>
  );
}

function ViewNotes() {
  if (sheetFailure.value !== null)
    return <div class="view-note">{<FailureNote failure={sheetFailure.value} />}</div>;
  if (status.value === "no-webgl") return <p class="view-note">{t("view.none")}</p>;
  if (modelFailure.value !== null && modelFailure.value.code !== "network") {
    return (
      <div class="view-note">
        <p>{t("view.modelFailed")}</p>
        <FailureNote failure={modelFailure.value} />
      </div>
    );
  }
  if (chosen.value === "") return <p class="view-note quiet">{t("view.empty")}</p>;
  if (status.value === "loading") return <p class="view-note quiet">{t("loading.view")}</p>;
  if (shownArm.value !== chosen.value) return <p class="view-note quiet">{t("loading.arm")}</p>;
  return null;
}

/** Load three, then keep the view in step with the signals until the returned function is called. */
function startView(canvas: HTMLCanvasElement, onStart: (view: ArmView) => void): () => void {
  const stops: (() => void)[] = [];
  let isOver = false;
  void import("../viewer/arm-view").then(({ ArmView: Viewer }) => {
    if (isOver) return;
    let view: ArmView;
    try {
      view = new Viewer(canvas);
    } catch {
      status.value = "no-webgl";
      return;
    }
    status.value = "ready";
    onStart(view);
    stops.push(() => view.dispose(), ...followSignals(view));
  });
  return () => {
    isOver = true;
    for (const stop of stops) stop();
  };
}

function followSignals(view: ArmView): (() => void)[] {
  return [
    effect(() => {
      if (sheet.value !== null) return;
      shownArm.value = "";
      view.clear();
    }),
    effect(() => {
      const arm = model.value;
      const frames = fk.value?.frames;
      if (arm === null || frames == null || fk.value?.robot !== arm.name) return;
      if (shownArm.value === arm.name) view.place(frames);
      else void untracked(() => showModel(view, arm.glb, arm.name));
    }),
    effect(() => {
      if (coloursChanged.value > 0) view.repaint();
    }),
  ];
}

/** Read and show the shape; by the time it is read, another arm may have been chosen. */
async function showModel(view: ArmView, glb: ArrayBuffer, name: string): Promise<void> {
  if (reading === name) return;
  reading = name;
  try {
    const arm = await view.read(glb);
    if (model.value?.name !== name || fk.value?.frames == null) return;
    view.show(arm, fk.value.frames, sheet.value?.reach ?? 1000);
    shownArm.value = name;
  } catch (reason) {
    modelFailure.value = asFailure(reason);
  } finally {
    reading = "";
  }
}
