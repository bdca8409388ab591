/** `<Toasts />`: what `say(kind, text)` of toasts.ts has said; read aloud politely. The workbench has one. */

import { useRef } from "preact/hooks";
import { t } from "../i18n";
import { dismiss, hold, type Toast, toasts } from "../toasts";
import { IconButton } from "./icon-button";

export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  const holdIfUsed = (): void => {
    const element = box.current;
    hold(element !== null && (element.matches(":hover") || element.contains(document.activeElement)));
  };
  const close = (id: number): void => {
    const hadFocus = box.current?.contains(document.activeElement) === true;
    dismiss(id);
    if (hadFocus) requestAnimationFrame(() => focusNear(box.current));
  };
  return (
    <div
      ref={box}
      class="toasts"
      role="log"
      aria-live="polite"
      aria-label={t("toasts.label")}
      onPointerEnter={holdIfUsed}
      onPointerLeave={holdIfUsed}
      onFocusIn={() => hold(true)}
      onFocusOut={() => requestAnimationFrame(holdIfUsed)}
    >
      {toasts.value.map((toast) => (
        <One key={toast.id} toast={toast} onClose={() => close(toast.id)} />
      ))}
    </div>
  );
}

function One({ toast: { kind, text, actions }, onClose }: { toast: Toast; onClose: () => void }) {
  return (
    <div class="toast" data-kind={kind}>
      <p>{text}</p>
      {actions.map((action) => (
        <button
          key={action.text}
          type="button"
          onClick={() => {
            action.run();
            if (actions.length === 1) onClose(); // of several, another one may be wanted, too
          }}
        >
          {action.text}
        </button>
      ))}
      <IconButton icon="close" label={t("toasts.dismiss")} onClick={onClose} />
    </div>
  );
}

/** A button that goes away must not take the focus along: the next message gets it, or the view. */
function focusNear(box: HTMLElement | null): void {
  const next =
    box?.querySelector<HTMLElement>("button") ?? document.querySelector<HTMLElement>(".view canvas");
  next?.focus();
}
