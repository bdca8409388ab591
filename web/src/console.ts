/** `armlab` in the browser's console, and for the browser tests: the page's state, to be read. */

import { goal } from "./acts";
import { sheet } from "./catalog";
import { dragged, holding, notice, player, touches } from "./events";
import { history } from "./history";
import { live } from "./live";
import { doc } from "./project";
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
    selection,
    session,
    sheet,
    touches,
    view,
  };
  Object.assign(window, { armlab: { live, history, send, ...signals } });
}
