/** Files dropped anywhere on the page: a cover says what would happen, and the drop begins an import. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../parts/icon";
import { dialog, importDrop } from "./start";

export function DropZone() {
  const isOver = useSignal(false);
  useEffect(() => {
    let depth = 0; // each element that the pointer comes over tells it
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.type === "dragenter") depth += 1;
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      if (event.dataTransfer === null || !hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      isOver.value = false;
      importDrop(event.dataTransfer.items, event.dataTransfer.files);
    };
    const listeners = [
      ["dragenter", over],
      ["dragover", over],
      ["dragleave", leave],
      ["drop", drop],
    ] as const;
    for (const [kind, listener] of listeners) addEventListener(kind, listener);
    return () => {
      for (const [kind, listener] of listeners) removeEventListener(kind, listener);
    };
  }, []);
  const Shown = dialog.value;
  return (
    <>
      {isOver.value && (
        <div class="drop-zone">
          <p>
            <Icon name="upload" />
            <strong>{t("import.drop")}</strong>
            <span>{t("import.dropHint")}</span>
          </p>
        </div>
      )}
      {Shown !== null && <Shown />}
    </>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") === true;
}
