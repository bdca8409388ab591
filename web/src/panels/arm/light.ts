/** The link that a number is about, lit in the view. */

import { layout } from "../../project";
import { view } from "../../viewer/view";

/** Return handlers that light the link which joint `index` moves, while something inside has the focus. */
export function lightsOf(index: number) {
  const light = (isLit: boolean): void => {
    const name = layout.peek()?.links[index + 1];
    view.peek()?.highlight(isLit && name !== undefined ? [name] : []);
  };
  return { onFocusIn: () => light(true), onFocusOut: () => light(false) };
}
