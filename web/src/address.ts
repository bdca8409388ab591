/** An arm's name behind the # of the address puts that arm on the bench: a link to an arm can be given away. */

import { effect } from "@preact/signals";
import { chooseArm, robots } from "./catalog";
import { t } from "./i18n";
import { doc } from "./project";
import { say } from "./toasts";

export function startAddress(): void {
  const follow = (): void => {
    const rows = robots.value;
    const name = decoded(location.hash.slice(1));
    if (name === "" || rows === null || doc.value === null) return;
    history.replaceState(null, "", location.pathname + location.search);
    if (rows.some((row) => row.name === name)) void chooseArm(name);
    else say("error", t("failure.unknown_robot", { name }), { key: "address" });
  };
  addEventListener("hashchange", follow);
  effect(follow);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
