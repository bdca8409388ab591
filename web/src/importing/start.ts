/** Where an import begins: files that were dropped anywhere on the page, or chosen; the rest is loaded then. */

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { openFile } from "../workbench/project-menu";

/** The dialog, once it was needed. */
export const dialog = signal<ComponentType | null>(null);

/** Read what was dropped; its entries are taken at once, before the browser forgets them. A project is opened. */
export function importDrop(items: DataTransferItemList, files: FileList): void {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const dropped = [...files];
  const [first] = dropped;
  if (dropped.length === 1 && /\.armlab\.(json|zip)$/.test(first?.name ?? "") && first !== undefined)
    void openFile(first);
  else
    void load().then(({ state, given }) =>
      state.begin(
        entries.length > 0 ? given.filesOfEntries(entries) : Promise.resolve(given.filesOfField(dropped)), // a browser that knows no folders
      ),
    );
}

/** Read what was chosen in the system's own dialog. */
export function importField(files: FileList): void {
  const chosen = [...files];
  void load().then(({ state, given }) => state.begin(Promise.resolve(given.filesOfField(chosen))));
}

async function load() {
  const [{ ImportDialog }, state, given] = await Promise.all([
    import("./dialog"),
    import("./state"),
    import("./given"),
  ]);
  dialog.value = ImportDialog;
  return { state, given };
}
