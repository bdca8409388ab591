import { beforeEach, expect, test } from "vitest";
import { play, playAnyway } from "../src/acts";
import { doc } from "../src/project";
import type { Document } from "../src/protocol.gen";
import { useWire, type Wire } from "../src/wire";

const sent: unknown[] = [];
const ANYWAY = { type: "play", what: "plan", loop: false, anyway: true, arm: "left" };

function select(name: string): void {
  doc.value = {
    revision: 1,
    selected: name,
    project: { arms: ["left", "right"].map((one) => ({ name: one, arm: { name: "scara" } })) },
  } as unknown as Document;
}

beforeEach(() => {
  sent.length = 0;
  useWire({ send: (command: unknown) => sent.push(command) > 0 } as unknown as Wire);
  select("left");
});

test("what was refused is played anyway, but not with another arm", () => {
  play("plan");
  select("right");
  playAnyway();
  expect(sent).toHaveLength(1);
  select("left");
  playAnyway();
  expect(sent.at(-1)).toEqual(ANYWAY);
});
