/** Light, dark, or what the system says; the tokens in styles/tokens.css do the rest. */

import { signal } from "@preact/signals";
import { recall, remember } from "./memory";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>("auto");
/** Counts up whenever the colours change, for those who read them into a canvas. */
export const coloursChanged = signal(0);

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/** Take up the theme that the reader chose last, and follow the system where they chose none. */
export function startTheme(): void {
  const kept = recall("theme");
  theme.value = THEMES.find((known) => known === kept) ?? "auto";
  systemIsDark.addEventListener("change", paint);
  paint();
}

/** Use `chosen` from now on, also after a reload. */
export function chooseTheme(chosen: Theme): void {
  remember("theme", chosen);
  theme.value = chosen;
  paint();
}

function paint(): void {
  const isDark = theme.value === "auto" ? systemIsDark.matches : theme.value === "dark";
  document.documentElement.dataset.scheme = isDark ? "dark" : "light";
  coloursChanged.value += 1;
}
