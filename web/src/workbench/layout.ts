/** Sizes of the workbench's areas and the chosen tabs, kept between visits. */

import { computed, effect, signal } from "@preact/signals";
import { recallJson, remember } from "../memory";
import { clamp } from "../numbers";
import { type Panel, PANELS } from "../panels/registry";
import type { Kind } from "../selection";

export type Side = Panel["side"];
export type Area = "left" | "right" | "bottom";

export interface Sizes {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly leftOpen: boolean;
  readonly bottomOpen: boolean;
}

const FIRST_SIZES: Sizes = { left: 208, right: 388, bottom: 232, leftOpen: true, bottomOpen: true };
const LOWER = { left: 160, right: 300, bottom: 120 } as const;
/** Where the panels are below the view, in px: the least that is theirs, the head, and the closed lower dock. */
const LOWEST_RIGHT = 140;
const HEAD = 150;
const CLOSED_BOTTOM = 96;
/** The share of the window that the view keeps there. */
const VIEW_SHARE = 0.24;
/** From this height on, in px, the lower dock has room below the panels. */
const TALL = 900;

export const sizes = signal<Sizes>(FIRST_SIZES);
/** The size of the window: limits follow from it. */
export const room = signal({ width: 1366, height: 768 });
/** "wide": three columns; "middle": the tree is a drawer; "narrow": panels below the view. */
export const shape = computed<"wide" | "middle" | "narrow">(() => {
  const { width } = room.value;
  return width >= 1200 ? "wide" : width >= 900 ? "middle" : "narrow";
});
/** On small screens the tree opens over the view. */
export const drawerOpen = signal(false);
/** The chosen tab of each side. */
const chosenTabs = signal<Readonly<Record<Side, string>>>({ right: "jog", bottom: "" });

/** Take up sizes and tabs of the last visit, and keep them from now on. */
export function startLayout(): void {
  const measure = (): void => {
    room.value = { width: innerWidth, height: innerHeight };
  };
  measure();
  const bottomOpen = shape.value !== "narrow" || innerHeight >= TALL;
  sizes.value = { ...FIRST_SIZES, bottomOpen, ...recallJson("layout", isSizes) };
  chosenTabs.value = { ...chosenTabs.value, ...recallJson("panels", isTabs) };
  addEventListener("resize", measure);
  effect(() => remember("layout", JSON.stringify(sizes.value)));
  effect(() => remember("panels", JSON.stringify(chosenTabs.value)));
}

/** Return how small and how large an area may be in this window. */
export function boundsOf(area: Area): readonly [number, number] {
  const { width, height } = room.value;
  const upper = { left: width * 0.28, right: width * 0.5, bottom: height - 320 };
  const lower = LOWER[area];
  if (shape.value !== "narrow") return [lower, Math.max(lower, Math.round(upper[area]))];
  if (area === "bottom") return [lower, Math.max(lower, Math.round(height * 0.3))];
  // The panels are below the view, and the lower dock below them: the view keeps its share.
  const below = sizes.value.bottomOpen ? sizeOf("bottom") : CLOSED_BOTTOM;
  const free = Math.min(height * 0.6, height - HEAD - below - VIEW_SHARE * height);
  return [LOWEST_RIGHT, Math.max(LOWEST_RIGHT, Math.round(free))];
}

/** Return the size of an area as it fits into the window now. */
export function sizeOf(area: Area): number {
  return clamp(sizes.value[area], ...boundsOf(area));
}

export function resize(area: Area, size: number): void {
  sizes.value = { ...sizes.value, [area]: size };
}

export function resetSize(area: Area): void {
  resize(area, FIRST_SIZES[area]);
}

/** Open or close the tree or the lower dock. */
export function toggle(area: "left" | "bottom"): void {
  const { leftOpen, bottomOpen } = sizes.value;
  if (area === "left" && shape.value !== "wide") drawerOpen.value = !drawerOpen.value;
  else if (area === "left") sizes.value = { ...sizes.value, leftOpen: !leftOpen };
  else sizes.value = { ...sizes.value, bottomOpen: !bottomOpen };
}

export function panelsOf(side: Side): readonly Panel[] {
  return PANELS.filter((panel) => panel.side === side);
}

/** Return the panel that is shown on a side; null where there is none. */
export function shownPanel(side: Side): Panel | null {
  const panels = panelsOf(side);
  return panels.find((panel) => panel.id === chosenTabs.value[side]) ?? panels[0] ?? null;
}

/** Bring a panel to the front. */
export function openPanel(id: string): void {
  const panel = PANELS.find((candidate) => candidate.id === id);
  if (panel === undefined) return;
  chosenTabs.value = { ...chosenTabs.value, [panel.side]: id };
  if (panel.side === "bottom" && !sizes.value.bottomOpen) toggle("bottom");
}

/** Bring the panel to the front that is about things of this kind. */
export function openPanelFor(kind: Kind): void {
  const panel = PANELS.find((candidate) => candidate.about?.includes(kind) === true);
  if (panel !== undefined) openPanel(panel.id);
}

function isSizes(value: unknown): value is Partial<Sizes> {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([key, one]) =>
    key.endsWith("Open") ? typeof one === "boolean" : Number.isFinite(one),
  );
}

function isTabs(value: unknown): value is Partial<Record<Side, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((one) => typeof one === "string")
  );
}
