/** The 3D view, once three is loaded; null before, and where the browser cannot draw. Panels read it in effects. */

import { signal } from "@preact/signals";
import type { Viewer } from "./viewer";

export const view = signal<Viewer | null>(null);
/** Whether the frame of every link is shown, or only those of base and tool. */
export const everyFrame = signal(false);
