/** The bar of the player: play and pause, where in the motion we are, how fast, and whether it begins again. */

import { signal, useSignalEffect } from "@preact/signals";
import { pause, play, type Playable, resume, seek, setLoop, setPace } from "../acts";
import { notice, player, welcome } from "../events";
import { number, shortNumber, t, unit } from "../i18n";
import { followSlow, is, live, slowTick } from "../live";
import { IconButton } from "../parts/icon-button";
import { project } from "../project";
import type { PlayerReport } from "../protocol.gen";

const PACES = [0.1, 0.25, 0.5, 1, 2, 4] as const;
const AT_END_S = 0.02;

/** Whether what is played begins again at its end. */
export const isLooping = signal(false);
/** How fast it is played; what is made next is played as fast. */
const pace = signal(1);

/** Whether the player does not know of the last choice yet, because it held nothing. */
let isUntold = false;

isLooping.subscribe(skipFirst(tellLoop));
notice.subscribe(skipFirst(beginAgain));
player.subscribe((held) => {
  if (isUntold && held !== null) tellLoop();
});

/** Whether the page has just come, and the session may be playing already. */
let isNew = false;
welcome.subscribe(() => (isNew = true));
slowTick.subscribe(adopt);

export function PlayerBar() {
  const held = player.value;
  const next = held?.what === "none" || held === null ? playable() : held.what;
  useSignalEffect(() => {
    if (player.value !== null && pace.peek() !== 1) setPace(pace.peek());
  });
  return (
    <div class="player" role="group" aria-label={t("player.label")} data-what={held?.what ?? "none"}>
      <PlayButton next={next} held={held} />
      <IconButton
        icon="loop"
        label={t("player.loop")}
        aria-pressed={isLooping.value}
        onClick={() => (isLooping.value = !isLooping.value)}
      />
      <Scrubber held={held} />
      <label class="pace" title={t("player.pace")}>
        <span class="unseen">{t("player.pace")}</span>
        <select
          value={String(pace.value)}
          onChange={(event) => {
            pace.value = Number(event.currentTarget.value);
            if (held !== null) setPace(pace.value);
          }}
        >
          {PACES.map((choice) => (
            <option key={choice} value={String(choice)}>
              {shortNumber(choice, choice === 0.25 ? 2 : 1)}×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Take over how the session plays what it played before this page came. */
function adopt(): void {
  if (!isNew) return;
  isNew = false; // what the session holds was told before its first state
  if (player.peek() === null) return;
  const running = PACES.find((choice) => Math.abs(choice - live.pace) < 1e-6);
  if (running !== undefined) pace.value = running;
  if (is("looping")) isLooping.value = true;
}

function PlayButton({ next, held }: { next: Playable | null; held: PlayerReport | null }) {
  const isPlaying = is("playing");
  const run = (): void => {
    if (isPlaying) pause();
    else if (held !== null && live.playerTime < held.duration - AT_END_S) resume();
    else if (next !== null) play(next, isLooping.value);
  };
  const label = isPlaying
    ? t("player.pause")
    : next === null
      ? t("player.nothing")
      : t(`player.play.${next}`);
  return (
    <IconButton
      icon={isPlaying ? "hold" : "play"}
      label={label}
      disabled={next === null && !isPlaying}
      onClick={run}
    />
  );
}

function Scrubber({ held }: { held: PlayerReport | null }) {
  followSlow();
  const duration = held?.duration ?? 0;
  const time = Math.min(held === null ? 0 : live.playerTime, duration);
  const share = `${duration > 0 ? ((time / duration) * 100).toFixed(2) : 0}%`;
  const text = t("player.at", { time: number(time, 2), duration: number(duration, 2), unit: unit("s") });
  return (
    <>
      <span class="slider-box" style={{ "--at": share, "--from": "0%" }}>
        <input
          class="slider"
          type="range"
          min={0}
          max={duration > 0 ? duration : 1}
          step="any"
          value={time}
          disabled={held === null}
          aria-label={t("player.time")}
          aria-valuetext={text}
          onInput={(event) => seek(event.currentTarget.valueAsNumber)}
        />
      </span>
      <span class="player-time" data-time={time}>
        {number(time, 2)} / {number(duration, 2)} {unit("s")}
      </span>
    </>
  );
}

/** Let what is played know at once whether it begins again. */
function tellLoop(): void {
  isUntold = player.peek() === null;
  if (!isUntold) setLoop(isLooping.peek());
}

/** Begin again what has come to its end. What ends where it starts goes round in the session and tells of no end;
 * the rest is made anew here, with the way back to its start. */
function beginAgain(): void {
  const what = player.peek()?.what ?? "none";
  if (notice.peek()?.code === "player_ended" && isLooping.peek() && what !== "none") play(what, true);
}

/** Return what to call when a signal changes, and not when it is first looked at. */
function skipFirst(act: () => void): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) act();
    isFirst = false;
  };
}

/** What the button would play: the plan, or kept poses, or the scenario; null where there is none of them. */
function playable(): Playable | null {
  const made = project.value;
  if (made === null) return null;
  if (made.plan !== null) return "plan";
  if (made.poses.length >= 2) return "poses";
  return made.scenario === null ? null : "scenario";
}
