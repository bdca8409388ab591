/** What stands between the page and its session: a lost line, another version, or no access. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { link, reconnect } from "../wire";

/** Says so while nobody answers; the page keeps the last numbers and tries again by itself. */
export function Banner() {
  return (
    <div class="banner-place" role="status">
      {link.value === "lost" && (
        <div class="banner" data-kind="error">
          <span>{t("banner.lost")}</span>
          <button type="button" onClick={reconnect}>
            {t("failure.retry")}
          </button>
        </div>
      )}
    </div>
  );
}

/** Covers the workbench where it cannot be used. */
export function Gate() {
  if (link.value === "denied") {
    return (
      <GateCard title={t("access.title")} text={t("access.text")}>
        <p class="gate-example">
          <code>{`${location.origin}${location.pathname}?token=…`}</code>
        </p>
        <button type="button" class="primary" onClick={reconnect}>
          {t("failure.retry")}
        </button>
      </GateCard>
    );
  }
  if (link.value === "stale") {
    return (
      <GateCard title={t("stale.title")} text={t("stale.text")}>
        <button type="button" class="primary" onClick={() => location.reload()}>
          {t("stale.reload")}
        </button>
      </GateCard>
    );
  }
  return null;
}

interface GateCardProps {
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

function GateCard({ title, text, children }: GateCardProps) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.querySelector("button")?.focus(), []);
  return (
    <div class="gate">
      <div
        ref={card}
        class="gate-card"
        role="alertdialog"
        aria-modal="true"
        aria-labelledby="gate-title"
        aria-describedby="gate-text"
      >
        <h2 id="gate-title">{title}</h2>
        <p id="gate-text">{text}</p>
        {children}
      </div>
    </div>
  );
}
