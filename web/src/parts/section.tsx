/** `<Section id="arm.dh" title={t("…")} help={t("…")}>…</Section>`: a part of a panel that opens and closes; remembers it. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { recall, remember } from "../memory";
import { Help } from "./help";
import { Icon } from "./icon";

interface SectionProps {
  /** Unique on the page: what is remembered is kept under it. */
  readonly id: string;
  readonly title: string;
  readonly help?: string;
  /** Whether it is open on the first visit; "always" has nothing to close. */
  readonly open?: boolean | "always";
  /** Buttons at the right end of the head. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, help, open = true, actions, children }: SectionProps) {
  const body = useId();
  const kept = recall(`panel.${id}`);
  const isOpen = useSignal(open === "always" || (kept === null ? open : kept === "open"));
  const toggle = (): void => {
    isOpen.value = !isOpen.value;
    remember(`panel.${id}`, isOpen.value ? "open" : "closed");
  };
  return (
    <section class="section" aria-label={title} data-section={id}>
      <div class="section-head">
        <h3>
          {open === "always" ? (
            title
          ) : (
            <button
              type="button"
              class="section-toggle"
              aria-expanded={isOpen.value}
              aria-controls={body}
              onClick={toggle}
            >
              <Icon name="chevron" />
              {title}
            </button>
          )}
        </h3>
        {help !== undefined && <Help text={help} about={title} />}
        {actions !== undefined && <div class="section-actions">{actions}</div>}
      </div>
      <div id={body} class="section-body" hidden={!isOpen.value}>
        {isOpen.value && children}
      </div>
    </section>
  );
}
