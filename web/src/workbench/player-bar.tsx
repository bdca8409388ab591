/** The bar of the player: play and pause, where in the motion we are, how fast, and whether it begins again. */

import { signal, useSignalEffect } from "@preact/signals";
import { pause, play, type Playable, resume, seek, setLoop, setRate } from "../acts";
import { isAtEnd, player, welcome } from "../events";
import { number, shortNumber, t, unit } from "../i18n";
import { followSlow, is, live, slowTick } from "../live";
import { IconButton } from "../parts/icon-button";
import { Slider } from "../parts/slider";
import { project } from "../project";
import type { PlayerReport } from "../protocol.gen";
import { chooseWatching, isWatching } from "../watching";

const RATES = [0.1, 0.25, 0.5, 1, 2, 4] as const;

/** Whether what is played begins again at its end. */
export const isLooping = signal(false);
/** How fast it is played; what is made next is played as fast. */
const rate = signal(1);

/** Whether the player does not know of the last choice yet, because it held nothing. */
let isUntold = false;

isLooping.subscribe(skipFirst(tellLoop));
player.subscribe((held) => {
  if (isUntold && held !== null) tellLoop();
});

/** Whether the page has just come, and the session may be playing already. */
let isNew = false;
welcome.subscribe(() => (isNew = true));
slowTick.subscribe(adopt);

export function PlayerBar() {
  const held = player.value;
  const next = held === null || held.what === "none" || held.what === "console" ? playable() : held.what;
  useSignalEffect(() => {
    if (player.value !== null && rate.peek() !== 1) setRate(rate.peek());
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
      <IconButton
        icon="link"
        label={t("player.watch")}
        title={t("player.watchHint")}
        aria-pressed={isWatching.value}
        onClick={() => chooseWatching(!isWatching.value)}
      />
      <Scrubber held={held} />
      <label class="rate" title={t("player.rate")}>
        <span class="unseen">{t("player.rate")}</span>
        <select
          value={String(rate.value)}
          onChange={(event) => {
            rate.value = Number(event.currentTarget.value);
            if (held !== null) setRate(rate.value);
          }}
        >
          {RATES.map((choice) => (
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
  const running = RATES.find((choice) => Math.abs(choice - live.rate) < 1e-6);
  if (running !== undefined) rate.value = running;
  if (is("looping")) isLooping.value = true;
}

function PlayButton({ next, held }: { next: Playable | null; held: PlayerReport | null }) {
  const isPlaying = is("playing");
  const run = (): void => {
    if (isPlaying) pause();
    else if (held !== null && !isAtEnd()) resume();
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
  const time = held === null ? 0 : live.playerTime;
  const duration = Math.max(held?.duration ?? 0, time);
  const ending = held?.ending ?? "known";
  const shown = t(`player.ending.${ending}`, { duration: number(duration, 2) });
  const text = t("player.at", { time: number(time, 2), duration: shown, unit: unit("s") });
  return (
    <>
      <Slider
        label={t("player.time")}
        value={time}
        lower={0}
        upper={duration > 0 ? duration : 1}
        digits={3}
        step={0.1}
        disabled={held === null}
        says={() => text}
        onInput={seek}
      />
      <span class="player-time" data-time={time} data-ending={ending}>
        {number(time, 2)} / {shown} {unit("s")}
      </span>
    </>
  );
}

/** Let what is played know at once whether it begins again. */
function tellLoop(): void {
  isUntold = player.peek() === null;
  if (!isUntold) setLoop(isLooping.peek());
}

/** Return what to call when a signal changes, and not when it is first looked at. */
function skipFirst(act: () => void): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) act();
    isFirst = false;
  };
}

/** What the button would play: the plan, or saved poses, the scenario, or the program; null where there is none of them. */
function playable(): Playable | null {
  const made = project.value;
  if (made === null) return null;
  if (made.plan !== null) return "plan";
  if (made.poses.length >= 2) return "poses";
  if (made.scenario !== null) return "scenario";
  return made.program === null ? null : "program";
}
