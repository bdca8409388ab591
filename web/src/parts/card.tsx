/** `<Card kind="warn" title={…}>…</Card>`: something to know, in place: "info", "good", "warn" or "error" (said aloud). */

import type { ComponentChildren } from "preact";

interface CardProps {
  readonly kind: "info" | "good" | "warn" | "error";
  readonly title?: string;
  readonly children?: ComponentChildren;
}

export function Card({ kind, title, children }: CardProps) {
  return (
    <div class="card" data-kind={kind} role={kind === "error" ? "alert" : "note"}>
      {title !== undefined && <p class="card-title">{title}</p>}
      {children}
    </div>
  );
}
