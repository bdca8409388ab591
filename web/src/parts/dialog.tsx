/** `<Dialog title={…} open={…} onClose={…}>…</Dialog>`: a modal; Escape and the cross close it, the focus comes back. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../i18n";
import { IconButton } from "./icon-button";

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** Buttons at the foot. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Dialog({ title, open, onClose, wide = false, actions, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (open && !element.open) element.showModal();
    if (!open && element.open) element.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose(); // a click on the backdrop
      }}
    >
      {open && (
        <div class="dialog-body">
          <div class="dialog-head">
            <h2 id={id}>{title}</h2>
            <IconButton icon="close" label={t("dialog.close")} onClick={onClose} />
          </div>
          {children}
          {actions !== undefined && <div class="dialog-actions">{actions}</div>}
        </div>
      )}
    </dialog>
  );
}
