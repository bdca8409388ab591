/** `<Dialog title={…} open={…} onClose={…}>…</Dialog>`: a modal; Escape and the cross close it, the focus comes back.
 *
 * Nothing outside it can be reached, so that it has a Stop of its own, and says where that may not be heard. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../i18n";
import { unheard } from "../stopping";
import { IconButton } from "./icon-button";
import { StopButton } from "./stop-button";

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
            <StopButton />
            <IconButton icon="close" label={t("dialog.close")} autofocus onClick={onClose} />
          </div>
          <p class="dialog-unheard" role="alert">
            {unheard.value}
          </p>
          {children}
          {actions !== undefined && <div class="dialog-actions">{actions}</div>}
        </div>
      )}
    </dialog>
  );
}
