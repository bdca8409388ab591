/** Running the scenario: run, pause, one step, stop; and what it is called. */

import { useEffect } from "preact/hooks";
import { pause, play, resume, singleStep, stopArm } from "../../acts";
import { isAtEnd, player, takeFailures } from "../../events";
import { number, t, unit } from "../../i18n";
import { is } from "../../live";
import { Icon, type IconName } from "../../parts/icon";
import { isLooping } from "../../workbench/player-bar";
import { check, duration, hearFailed, isChecking, problem, running, scenario } from "./acts";

export function RunBar() {
  useEffect(() => {
    const stops = (["play", "single_step", "resume"] as const).map((command) =>
      takeFailures(command, hearFailed),
    );
    return () => stops.forEach((end) => end());
  }, []);
  const isPlaying = player.value?.what === "scenario" && is("playing");
  const isHeld = player.value?.what === "scenario" && !isPlaying && running.value >= 0 && !isAtEnd();
  return (
    <div class="scenario-run" role="group" aria-label={t("scenario.run.label")}>
      {isPlaying ? (
        <Act icon="hold" label={t("scenario.run.pause")} run={pause} primary />
      ) : (
        <Act
          icon="play"
          label={t(isHeld ? "scenario.run.resume" : "scenario.run.run")}
          run={() => (isHeld ? resume() : start())}
          primary
        />
      )}
      <Act icon="step" label={t("scenario.run.step")} run={oneStep} disabled={isPlaying} />
      <Act
        icon="stop"
        label={t("scenario.run.stop")}
        run={() => stopArm()}
        disabled={player.value?.what !== "scenario"}
      />
      <button
        type="button"
        disabled={isChecking.value}
        aria-busy={isChecking.value}
        onClick={() => void check()}
      >
        {t(isChecking.value ? "scenario.run.checking" : "scenario.run.check")}
      </button>
      <Status />
    </div>
  );
}

interface ActProps {
  readonly icon: IconName;
  readonly label: string;
  readonly run: () => unknown;
  readonly disabled?: boolean;
  readonly primary?: boolean;
}

function Act({ icon, label, run, disabled = false, primary = false }: ActProps) {
  return (
    <button
      type="button"
      class={primary ? "scenario-act primary" : "scenario-act"}
      disabled={disabled}
      data-act={icon}
      onClick={() => run()}
    >
      <Icon name={icon} />
      {label}
    </button>
  );
}

function Status() {
  const count = scenario.value?.steps.length ?? 0;
  const at = running.value;
  const takes = duration.value;
  return (
    <span class="scenario-status" role="status">
      {at >= 0 ? t("scenario.run.at", { n: at + 1, count }) : t("scenario.run.count", { n: count })}
      {takes !== null && ` · ${number(takes, 1)} ${unit("s")}`}
    </span>
  );
}

function start(): void {
  problem.value = null;
  play("scenario", isLooping.peek());
  void check();
}

/** Play one step; a scenario that is not under way begins with its first. */
function oneStep(): void {
  if (player.peek()?.what !== "scenario" || isAtEnd()) {
    problem.value = null;
    play("scenario", false);
  }
  singleStep();
}
