import { describe, expect, test } from "vitest";
import { forgetReload, reloadOnce } from "../src/reload";

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe("a page that is older than its server", () => {
  test("reloads once, and again only after it has been of the server's version", () => {
    const storage = memory();
    let reloads = 0;
    const reload = () => void (reloads += 1);
    expect([reloadOnce(storage, reload), reloadOnce(storage, reload)]).toEqual([true, false]);
    forgetReload(storage);
    expect(reloadOnce(storage, reload)).toBe(true);
    expect(reloads).toBe(2);
  });

  test("does not reload where nothing can be remembered", () => {
    const refuse = () => {
      throw new Error("no storage");
    };
    let reloads = 0;
    expect(reloadOnce({ getItem: refuse, setItem: refuse }, () => void (reloads += 1))).toBe(false);
    expect(reloads).toBe(0);
    forgetReload({ removeItem: refuse });
  });
});
