/** The 3D view, once three is loaded; null before, and where the browser cannot draw. Panels read it in effects. */

import { signal } from "@preact/signals";
import type { Aim, Viewer } from "./viewer";

export const view = signal<Viewer | null>(null);
/** What a click on a user frame is named: this and the frame's id. */
export const FRAME_PICK = "frame/";
/** Whether the frame of every link is shown, or only those of base and tool. */
export const everyFrame = signal(false);
/** Where the camera goes when the arm has come, in the place of the corner: a link says it. */
export const wantedAim = signal<Aim | null>(null);
