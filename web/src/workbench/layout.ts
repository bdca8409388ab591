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
  readonly leftOpen: boolean;
  readonly bottomOpen: boolean;
}

const FIRST_SIZES: Sizes = { left: 208, right: 388, leftOpen: true, bottomOpen: true };
const LOWER = { left: 160, right: 300, bottom: 120 } as const;
/** Where the panels are below the view, in px: the least that is theirs, the head, and the closed lower dock. */
const LOWEST_RIGHT = 140;
const HEAD = 150;
const CLOSED_BOTTOM = 96;
/** px: header and view keep this much above the lower dock. */
const LEAST_VIEW = 320;
/** The share of the window that the view keeps there. */
const VIEW_SHARE = 0.24;
/** From this height on, in px, the lower dock has room below the panels. */
const TALL = 900;

export const sizes = signal<Sizes>(FIRST_SIZES);
/** Heights that the lower panels were given by hand, by their ids; the others have what their content needs. */
const heights = signal<Readonly<Record<string, number>>>({});
/** Whether the lower dock fills the window. */
export const isFull = signal(false);
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
  heights.value = recallJson("heights", isHeights) ?? {};
  addEventListener("resize", measure);
  effect(() => remember("layout", JSON.stringify(sizes.value)));
  effect(() => remember("heights", JSON.stringify(heights.value)));
  effect(() => remember("panels", JSON.stringify(chosenTabs.value)));
}

/** Return how small and how large an area may be in this window. */
export function boundsOf(area: Area): readonly [number, number] {
  const { width, height } = room.value;
  const upper = { left: width * 0.28, right: width * 0.5, bottom: height - LEAST_VIEW };
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
  return clamp(area === "bottom" ? wantedHeight() : sizes.value[area], ...boundsOf(area));
}

/** Return the height that the chosen lower panel was given, or else needs. */
function wantedHeight(): number {
  const panel = shownPanel("bottom");
  return heights.value[panel?.id ?? ""] ?? Math.round((panel?.share ?? 0.3) * room.value.height);
}

export function resize(area: Area, size: number): void {
  const panel = shownPanel("bottom");
  if (area !== "bottom") sizes.value = { ...sizes.value, [area]: size };
  else if (panel !== null) heights.value = { ...heights.value, [panel.id]: size };
}

export function resetSize(area: Area): void {
  const panel = shownPanel("bottom");
  if (area !== "bottom") resize(area, FIRST_SIZES[area]);
  else heights.value = Object.fromEntries(Object.entries(heights.value).filter(([id]) => id !== panel?.id));
}

/** Open or close the tree or the lower dock. */
export function toggle(area: "left" | "bottom"): void {
  const { leftOpen, bottomOpen } = sizes.value;
  if (area === "left" && shape.value !== "wide") drawerOpen.value = !drawerOpen.value;
  else if (area === "left") sizes.value = { ...sizes.value, leftOpen: !leftOpen };
  else {
    isFull.value = false;
    sizes.value = { ...sizes.value, bottomOpen: !bottomOpen };
  }
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

function isHeights(value: unknown): value is Record<string, number> {
  return typeof value === "object" && value !== null && Object.values(value).every(Number.isFinite);
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
