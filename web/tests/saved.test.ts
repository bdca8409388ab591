import { afterEach, beforeEach, expect, test, vi } from "vitest";

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

test("where the arm stood outlives the page, for the same arm only", async () => {
  const before = await freshPage();
  before.saveStance("ur5e", new Float32Array([10.5, -90, 0.1, 0, 0, 0]));
  const after = await freshPage();
  expect(after.savedStance("ur5e")).toEqual([10.5, -90, 0.1, 0, 0, 0]);
  expect(after.savedStance("scara")).toBeNull();
});

test.each(["", "{", "[]", '{"arm":1,"q":[0]}', '{"arm":"ur5e","q":["x"]}', '{"arm":"ur5e"}'])(
  "nonsense in the browser's memory counts for nothing: %s",
  async (text) => {
    stored.set("armlab.stance", text);
    const { savedStance } = await freshPage();
    expect(savedStance("ur5e")).toBeNull();
  },
);

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
