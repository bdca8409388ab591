/** The tools of presentation mode, over the view: what is seen, pictures and films of it, and a link to it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { stop } from "../acts";
import { armTitle } from "../arm-title";
import { sheet } from "../catalog";
import { measure, t } from "../i18n";
import { followSlow, live } from "../live";
import { Icon, type IconName } from "../parts/icon";
import { LiveNumber } from "../parts/live-number";
import { toolPose } from "../poses";
import { project } from "../project";
import { clock } from "../recording";
import { PlayerBar } from "../workbench/player-bar";
import { filmedSince, filmKind, savePicture, startFilm, stopFilm } from "./capture";
import { type LinkOrProblem, linkToNow } from "./link";
import { leave } from "./state";
import { distance, ends, followTools, isLabelled, isMeasuring, isXray } from "./tools";

const AXES = ["X", "Y", "Z"] as const;

export default function Presentation() {
  useEffect(followTools, []);
  useEffect(() => stopFilm, []);
  const link = useSignal<LinkOrProblem | null>(null);
  return (
    <>
      <div class="present-tools" role="toolbar" aria-label={t("present.tools")}>
        <Toggle icon="xray" what="xray" of={isXray} />
        <Toggle icon="label" what="labels" of={isLabelled} />
        <Toggle icon="tape" what="tape" of={isMeasuring} />
        <Tool icon="camera" what="picture" onClick={() => void savePicture(fileName())} />
        <Film />
        <Tool
          icon="link"
          what="link"
          onClick={() => void linkToNow().then((found) => (link.value = found))}
        />
        <Tool icon="stop" what="stop" onClick={stop} />
        <Tool icon="shrink" what="leave" onClick={leave} />
      </div>
      {link.value !== null && <Link found={link.value} onClose={() => (link.value = null)} />}
      <div class="present-foot">
        <Caption />
        <PlayerBar />
      </div>
    </>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly what: string;
  readonly onClick: () => void;
  readonly isOn?: boolean;
  readonly disabled?: boolean;
  readonly text?: string;
}

function Tool({ icon, what, onClick, isOn, disabled = false, text = t(`present.${what}`) }: ToolProps) {
  return (
    <button
      type="button"
      data-tool={what}
      title={t(`present.${what}Hint`)}
      aria-pressed={isOn}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span>{text}</span>
    </button>
  );
}

function Toggle({ icon, what, of }: { icon: IconName; what: string; of: { value: boolean } }) {
  return <Tool icon={icon} what={what} isOn={of.value} onClick={() => (of.value = !of.value)} />;
}

function Film() {
  const since = filmedSince.value;
  const kind = filmKind();
  if (since !== null) followSlow();
  return (
    <>
      <Tool
        icon="video"
        what="film"
        isOn={since !== null}
        disabled={kind === null}
        text={since === null ? t("present.film") : clock((Date.now() - since) / 1000)}
        onClick={() => (since === null ? startFilm(fileName()) : stopFilm())}
      />
      {kind === null && <span class="present-note">{t("present.noFilm")}</span>}
    </>
  );
}

/** The link, to be copied, or why there is none. */
function Link({ found, onClose }: { found: LinkOrProblem; onClose: () => void }) {
  const address = "address" in found ? found.address : "";
  const isCopied = useSignal(false);
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard; // only where the page came safely
  const copy = (): void => {
    void clipboard?.writeText(address).then(
      () => (isCopied.value = true),
      () => undefined,
    );
  };
  return (
    <div
      class="present-link card"
      data-kind={address === "" ? "warn" : "info"}
      role="group"
      aria-label={t("present.link")}
    >
      <p role="status">
        {"problem" in found
          ? t(found.problem)
          : isCopied.value
            ? t("present.linkCopied")
            : t("present.linkAbout")}
      </p>
      {address !== "" && (
        <input
          type="text"
          readOnly
          value={address}
          aria-label={t("present.link")}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
      <div class="row">
        {address !== "" && clipboard !== undefined && (
          <button type="button" class="primary" onClick={copy}>
            {t("present.linkCopy")}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {t("present.close")}
        </button>
      </div>
    </div>
  );
}

/** In large letters: which arm it is, where its tool is, and what the tape says. */
function Caption() {
  const between = distance.value;
  const arm = sheet.value === null ? "" : armTitle(sheet.value);
  return (
    <div class="present-caption">
      <p class="present-arm">{arm}</p>
      <p class="present-pose" aria-label={t("jog.tool.heading")}>
        {AXES.map((name, i) => (
          <span key={name} data-axis={name.toLowerCase()}>
            <b>{name}</b> <LiveNumber of={() => toolPose(live.frames)?.[i]} digits={1} unit="mm" />
          </span>
        ))}
      </p>
      <p class="present-tape" role="status" data-distance={between ?? ""}>
        {isMeasuring.value &&
          (between === null
            ? t(ends.value.length === 0 ? "present.tapeFirst" : "present.tapeSecond")
            : t("present.tapeIs", { distance: measure(between, 1, "mm") }))}
      </p>
    </div>
  );
}

/** Return a name for files of this situation. */
function fileName(): string {
  const stamp = new Date().toISOString().slice(0, 19).replace(/[T:]/g, "-");
  return `${project.peek()?.arm.name ?? "armlab"}-${stamp}`;
}
