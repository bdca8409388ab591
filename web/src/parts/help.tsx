/** `<Help text={t("…")} />`: a question mark that opens a few sentences; Escape or a click elsewhere closes them. */

import { useId, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "./icon";

const MARGIN = 8;

export function Help({ text, about }: { text: string; about: string }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const bubble = useRef<HTMLDivElement>(null);
  const place = (): void => {
    if (button.current !== null && bubble.current !== null) placeBubble(bubble.current, button.current);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="help-button"
        aria-label={t("help.about", { what: about })}
        popovertarget={id}
      >
        <Icon name="help" />
      </button>
      <div ref={bubble} id={id} class="help-bubble" popover="auto" onToggle={place}>
        {text.split("\n").map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </>
  );
}

/** Put an open popover below its button, inside the window. */
export function placeBubble(bubble: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = bubble;
  const left = Math.max(Math.min(from.left, innerWidth - width - MARGIN), MARGIN);
  const below = from.bottom + 4;
  const top = below + height > innerHeight - MARGIN ? Math.max(from.top - height - 4, MARGIN) : below;
  bubble.style.left = `${left}px`;
  bubble.style.top = `${top}px`;
}
