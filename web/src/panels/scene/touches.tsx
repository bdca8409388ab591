/** What touches, and what is near: as a list, and as lines in the view, which a switch turns off. */

import { effect, signal } from "@preact/signals";
import { arms, hasSeveral, selectArm, selectedArm } from "../../arms";
import { proximity } from "../../events";
import { linkTitle, number, t, unit } from "../../i18n";
import { recall, remember } from "../../memory";
import { layout } from "../../project";
import type { ProximityPair } from "../../protocol.gen";
import { select } from "../../selection";
import { coloursChanged } from "../../theme";
import { view } from "../../viewer/view";

const isShown = signal(recall("panel.scene.lines") !== "off");
/** mm: farther apart than this nothing is about to touch, and needs no line in the view; parts of the arm even less. */
const NEAR_BODIES = 30;
const NEAR_PARTS = 10;
const MOST_NEAR = 3;

/** Draw lines and marks from now on, whichever panel is open. */
export function startTouches(): void {
  effect(() => {
    const viewer = view.value;
    const found = proximity.value;
    const names = new Set(layout.value?.bodies);
    if (viewer === null || coloursChanged.value < 0) return;
    const lines = isShown.value && found !== null ? linesOf(found.contacts, found.nearest, names) : [];
    const labels = lines.map(({ distance }) => `${number(distance, distance < 10 ? 1 : 0)} ${unit("mm")}`);
    void import("./touches-view").then(({ drawTouches }) => drawTouches(viewer, lines, labels));
  });
}

/** Return what is drawn: all contacts, then the nearest pairs that a person may want to know of. */
function linesOf(
  contacts: readonly ProximityPair[],
  nearest: readonly ProximityPair[],
  bodies: ReadonlySet<string>,
): readonly ProximityPair[] {
  const isOfInterest = ({ first, second, distance }: ProximityPair): boolean => {
    const isOfTwo = armOf(first)?.name !== armOf(second)?.name; // parts of two arms, or a part and a body
    return distance < (isOfTwo || bodies.has(first) || bodies.has(second) ? NEAR_BODIES : NEAR_PARTS);
  };
  return [...contacts, ...nearest.filter(isOfInterest).slice(0, MOST_NEAR)];
}

/** Where there are several arms, a part is called "arm/part": return both; null for a body, or the only arm's part. */
function armOf(part: string): { readonly name: string; readonly part: string } | null {
  if (!hasSeveral.value) return null;
  const found = arms.value.find(({ name }) => part.startsWith(`${name}/`));
  return found === undefined ? null : { name: found.name, part: part.slice(found.name.length + 1) };
}

function partTitle(part: string): string {
  const own = armOf(part);
  return own === null ? linkTitle(part) : `${own.name}: ${linkTitle(own.part)}`;
}

export function ShowTouches() {
  return (
    <label class="scene-switch">
      <input
        type="checkbox"
        checked={isShown.value}
        onChange={(event) => {
          isShown.value = event.currentTarget.checked;
          remember("panel.scene.lines", isShown.value ? "on" : "off");
        }}
      />
      {t("scene.touches.show")}
    </label>
  );
}

export function TouchList() {
  const found = proximity.value;
  const contacts = found?.contacts ?? [];
  const nearest = found?.nearest ?? [];
  if (contacts.length + nearest.length === 0)
    return <p class="quiet">{t("scene.touches.none", { mm: "100" })}</p>;
  return (
    <>
      {contacts.length > 0 && (
        <p class="unseen" role="status">
          {t("scene.touches.count", { n: contacts.length })}
        </p>
      )}
      <ul class="scene-touches">
        {contacts.map((touch) => (
          <Pair key={`${touch.first}/${touch.second}`} touch={touch} isContact />
        ))}
        {nearest.map((touch) => (
          <Pair key={`${touch.first}/${touch.second}`} touch={touch} isContact={false} />
        ))}
      </ul>
    </>
  );
}

/** Select a link, or the arm that it is of. */
function showPart(part: string): void {
  const own = armOf(part);
  if (own !== null && own.name !== selectedArm.peek()) selectArm(own.name);
  else if (layout.peek()?.links.includes(own?.part ?? part) === true) select("link", own?.part ?? part);
}

function Pair({ touch, isContact }: { touch: ProximityPair; isContact: boolean }) {
  const { first, second, distance } = touch;
  const show = (): void => {
    const names = layout.peek();
    const body = [second, first].find((name) => names?.bodies.includes(name) === true);
    if (body !== undefined) select("body", body);
    else showPart(first);
  };
  return (
    <li data-contact={isContact} data-distance={distance}>
      <button type="button" class="scene-touch" title={t("scene.touches.choose")} onClick={show}>
        <span class="scene-dot" aria-hidden="true" />
        <span class="scene-parts">
          {partTitle(first)} – {partTitle(second)}
        </span>
        <span class="scene-distance">
          {isContact ? t("scene.touches.touch") : `${number(distance, 1)} ${unit("mm")}`}
        </span>
      </button>
    </li>
  );
}
