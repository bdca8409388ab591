/** A page that is older than its server reloads itself: once, for a page that stays old must not reload for ever. */

const KEY = "armlab.reloaded";

/** Reload, unless that was tried already; return whether it was done. */
export function reloadOnce(
  storage: Pick<Storage, "getItem" | "setItem"> = sessionStorage,
  reload: () => void = () => location.reload(),
): boolean {
  try {
    if (storage.getItem(KEY) !== null) return false;
    storage.setItem(KEY, "1");
  } catch {
    return false; // nothing can be remembered here: the person decides
  }
  reload();
  return true;
}

/** The page and the server are of one version: the next time it may reload again. */
export function forgetReload(storage: Pick<Storage, "removeItem"> = sessionStorage): void {
  try {
    storage.removeItem(KEY);
  } catch {
    // nothing was remembered
  }
}
