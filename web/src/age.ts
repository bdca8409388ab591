/** How old the newest state is: a line can be cut long before anybody closes it. */

import { computed, signal } from "@preact/signals";

/** ms: a session sends 60 states a second, and 12 on a busy machine; older than this, what is shown is not what is. */
export const OLD_MS = 500;
const LOOK_MS = 100;

let heardAt: number | null = null;

/** How old the newest state is, s; 0 as long as it is new, and before the first one. */
export const age = signal(0);
/** Whether what is shown may not be so any more. */
export const isOld = computed(() => age.value > 0);

/** A state has come. */
export function hearState(): void {
  heardAt = performance.now();
  age.value = 0;
}

/** Look at the clock from now on; call the result to stop. */
export function startAge(): () => void {
  const timer = setInterval(() => {
    const since = heardAt === null ? 0 : performance.now() - heardAt;
    age.value = since > OLD_MS ? since / 1000 : 0;
  }, LOOK_MS);
  return () => clearInterval(timer);
}
