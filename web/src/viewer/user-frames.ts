/** The frames of the project in the view: three arrows each; the chosen one is larger. A click on one says its id. */

import type { Group } from "three";
import type { UserFrame } from "../protocol.gen";
import type { ViewColours } from "./colours";
import { placeAtPose } from "./frames";
import { Triad } from "./triad";
import { FRAME_PICK } from "./view";

const PER_REACH = 0.12;
const CHOSEN = 1.6;

export class UserFrames {
  readonly #group: Group;
  #triads: Triad[] = [];
  #shown: { readonly frames: readonly UserFrame[]; readonly chosen: string } = { frames: [], chosen: "" };

  constructor(group: Group) {
    this.#group = group;
  }

  /** Show these frames and no others. */
  set(frames: readonly UserFrame[], chosen: string, reachM: number, colours: ViewColours): void {
    this.dispose();
    this.#shown = { frames, chosen };
    this.#triads = frames.map(({ id, pose }) => {
      const triad = new Triad(reachM * PER_REACH * (id === chosen ? CHOSEN : 1));
      triad.paint(colours);
      triad.group.userData.pick = `${FRAME_PICK}${id}`;
      placeAtPose(triad.group, pose);
      this.#group.add(triad.group);
      return triad;
    });
  }

  /** Show the same frames in another size or in other colours. */
  again(reachM: number, colours: ViewColours): void {
    this.set(this.#shown.frames, this.#shown.chosen, reachM, colours);
  }

  dispose(): void {
    for (const triad of this.#triads.splice(0)) triad.dispose();
  }
}
