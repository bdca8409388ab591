import { afterEach, expect, test, vi } from "vitest";
import { follow, isStale, question, result, run } from "../src/panels/compare/state";
import { doc } from "../src/project";
import type { Document } from "../src/protocol.gen";

const PAGE = { duration: 1, structures: [] };

/** Put an arm with two joints, and a plan, on the bench. */
function put(arm: string, plan: unknown = null): void {
  doc.value = {
    revision: 1,
    selected: "arm",
    project: { arms: [{ name: "arm", arm: { name: arm }, plan }] },
    layout: { joints: ["A1", "A2"] },
  } as unknown as Document;
}

/** Compare, with the server's answer at once; return what it was asked. */
async function compare(): Promise<unknown> {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    asked.push(body);
    return Promise.resolve(new Response(`${JSON.stringify({ failure: null, result: PAGE, share: 1 })}\n`));
  });
  await run();
  return JSON.parse(asked[0] ?? "null") as unknown;
}

afterEach(() => vi.unstubAllGlobals());

test("a result of another arm goes, also where the arm came while the panel was closed", async () => {
  put("a");
  const close = follow();
  await compare();
  close();
  follow()();
  expect(result.value).toEqual(PAGE);
  put("b");
  expect(result.value).toEqual(PAGE);
  follow()();
  expect(result.value).toBeNull();
});

test("another plan makes the comparison of the plan old", async () => {
  put("a", { kind: "joint", points: [] });
  question.value = { ...question.value, command: "plan", joint: 6 };
  expect(await compare()).toMatchObject({ command: "plan", joint: 1 });
  expect(isStale.value).toBe(false);
  put("a", { kind: "joint", points: [[1, 2]] });
  expect(isStale.value).toBe(true);
});
