import { afterEach, expect, test, vi } from "vitest";
import { busy, followMap, map } from "../src/panels/kinematics/starts-state";
import { target } from "../src/panels/kinematics/state";
import { doc } from "../src/project";
import type { Document } from "../src/protocol.gen";
import { session } from "../src/session";

function put(arm: string): void {
  const project = { arms: [{ name: "arm", arm: { name: arm } }] };
  doc.value = { revision: 1, selected: "arm", project } as unknown as Document;
}

afterEach(() => vi.unstubAllGlobals());

test("a map of the arm before is not shown for the one that has come", async () => {
  const answers: ((answer: Response) => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise((resolve) => answers.push(resolve)));
  const answered = async (): Promise<void> => {
    answers.shift()?.(new Response(JSON.stringify({ joints: [0, 1] })));
    await new Promise((resolve) => setTimeout(resolve));
  };
  session.value = "s";
  put("a");
  const stop = followMap();
  target.value = [1, 2, 3, 0, 0, 0];
  await answered();
  expect(map.value).toEqual({ joints: [0, 1] });
  target.value = [2, 2, 3, 0, 0, 0];
  put("b");
  expect([map.value, target.value, busy.value]).toEqual([null, null, false]);
  while (answers.length > 0) await answered();
  expect(map.value).toBeNull();
  stop();
});
