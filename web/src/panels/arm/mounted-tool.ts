/** What is on the flange, as the server reports it: the tool's own point, its weight, and the inertia of what it carries. */

import { computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchJson } from "../../api";
import { latestWins } from "../../latest";
import { project } from "../../project";
import type { MountedToolReport } from "../../protocol.gen";
import { session } from "../../session";
import { link } from "../../wire";

const answer = signal<MountedToolReport | null>(null);
export const mountedFailure = signal<Failure | null>(null);

/** The report, once it is about the tool that the project names. */
export const mounted = computed(() => (answer.value?.tool === project.value?.arm.tool ? answer.value : null));

/** Changes with whatever the report is made of. */
const key = computed(() => {
  const arm = project.value?.arm;
  return arm === undefined ? "" : JSON.stringify([arm.name, arm.file, arm.tool, arm.tcp, arm.payload]);
});

const asker = latestWins(
  (name: string) => fetchJson<MountedToolReport>(`api/sessions/${encodeURIComponent(name)}/tool`),
  (report) => {
    answer.value = report;
    mountedFailure.value = null;
  },
  (reason) => (mountedFailure.value = asFailure(reason)),
);

effect(() => {
  if (key.value !== "" && session.value !== "" && link.value === "open") asker.ask(session.value);
});

export function askAgain(): void {
  asker.ask(session.peek());
}
