/** The colours of the 3D view, read from the same CSS tokens as the rest of the page. */

import { Color } from "three";

export interface ViewColours {
  readonly gridMinor: Color;
  readonly gridMajor: Color;
  readonly axisX: Color;
  readonly axisY: Color;
  readonly axisZ: Color;
  readonly accent: Color;
  readonly sky: Color;
  readonly ground: Color;
  readonly light: number;
  readonly shadow: number;
}

/** Read the tokens as they hold for `element` now. */
export function readColours(element: Element): ViewColours {
  const style = getComputedStyle(element);
  const colour = (token: string): Color => new Color(style.getPropertyValue(token).trim());
  const level = (token: string): number => Number(style.getPropertyValue(token));
  return {
    gridMinor: colour("--view-grid-minor"),
    gridMajor: colour("--view-grid-major"),
    axisX: colour("--axis-x"),
    axisY: colour("--axis-y"),
    axisZ: colour("--axis-z"),
    accent: colour("--accent"),
    sky: colour("--view-sky"),
    ground: colour("--view-ground"),
    light: level("--view-light"),
    shadow: level("--view-shadow"),
  };
}
