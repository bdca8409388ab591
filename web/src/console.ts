/** `armlab` in the browser's console, and for the browser tests: the page's state, to be read. */

import { otherStates } from "./arms";
import { sheet } from "./catalog";
import { dragged, holding, notice, player, proximity } from "./events";
import { goal } from "./goal";
import { history } from "./history";
import { live } from "./live";
import { doc, project, wholeOf } from "./project";
import { recording } from "./recording";
import { selection } from "./selection";
import { session } from "./session";
import { view } from "./viewer/view";
import { link, send } from "./wire";

export function startConsole(): void {
  const signals = {
    doc,
    dragged,
    goal,
    holding,
    link,
    notice,
    player,
    project,
    recording,
    selection,
    session,
    sheet,
    proximity,
    view,
  };
  Object.assign(window, { armlab: { live, history, send, otherStates, wholeOf, ...signals } });
}
