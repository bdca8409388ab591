import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Project } from "../src/protocol.gen";

const stored = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
});

/** Return the module as a page that was just opened has it. */
const freshPage = async () => {
  vi.resetModules();
  return import("../src/saved");
};

beforeEach(() => stored.clear());
afterEach(() => vi.useRealTimers());

const sceneOf = (...models: string[]) =>
  ({ arms: models.map((model, i) => ({ name: `arm ${i}`, arm: { name: model } })) }) as unknown as Project;
const AT = { "arm 0": { q: [10.5, -90], held: "cube" }, "arm 1": { q: [1, 2, 3, 4], held: null } };

test("where the arms stood outlives the page, each for the same arm only", async () => {
  const before = await freshPage();
  before.savePositions(sceneOf("ur5e", "scara"), AT);
  const after = await freshPage();
  expect(after.savedPositions(sceneOf("ur5e"))).toEqual({ "arm 0": { q: [10.5, -90], held: null } });
  expect(Object.keys(after.savedPositions(sceneOf("planar2", "scara")))).toEqual(["arm 1"]);
  expect(after.savedPositions({ schema: 1 } as unknown as Project)).toEqual({});
});

test.each([
  "",
  "{",
  "[1]",
  '{"arm 0":null}',
  '{"arm 0":{"model":1,"q":[0]}}',
  '{"arm 0":{"model":"ur5e","q":["x"]}}',
])("nonsense in the browser's memory counts for nothing: %s", async (text) => {
  stored.set("armlab.positions", text);
  const { savedPositions } = await freshPage();
  expect(savedPositions(sceneOf("ur5e"))).toEqual({});
});

test("a project is written down once after many changes, and at once when the page is left", async () => {
  vi.useFakeTimers();
  const { saveProject, savedProject, writeDown } = await freshPage();
  const project = { schema: 1, title: "a", arm: { name: "ur5e" } } as never;
  saveProject(project);
  expect(stored.has("armlab.project")).toBe(false);
  expect(savedProject()).toBe(project);
  vi.advanceTimersByTime(400);
  expect(stored.get("armlab.project")).toBe(JSON.stringify(project));
  saveProject({ schema: 1, title: "b", arm: { name: "ur5e" } } as never);
  writeDown();
  expect(stored.get("armlab.project")).toContain('"b"');
});
