import { describe, expect, it } from "vitest";
import { newArm } from "../src/arms";
import { jointName } from "../src/presentation/names";
import { MOST_LETTERS, packed, unpacked } from "../src/presentation/situation";
import { plainArm } from "../src/project";
import type { Project } from "../src/protocol.gen";

const PROJECT: Project = {
  schema: 2,
  title: "Ґанок — їжак",
  notes: "",
  arms: [
    { ...newArm("arm", plainArm("scara")), poses: [{ id: "a", name: "there", q: [1, 2, 3, 4], on: null }] },
  ],
  structure: "articulation",
  bodies: [],
  frames: [],
  positions: { arms: { arm: { q: [10.5, -20.25, -50, 0], held: null } }, bodies: {} },
};

describe("a situation in an address", () => {
  it("comes out as it went in, in letters that need no escapes", async () => {
    const letters = await packed({ project: PROJECT, aim: [1, 2, 3, 0, 0.5, 0] });
    expect(letters).toMatch(/^[\w-]+$/);
    expect(letters.length).toBeLessThan(1000);
    expect(await unpacked(letters)).toEqual({ project: PROJECT, aim: [1, 2, 3, 0, 0.5, 0] });
  });

  it("is nothing where letters are missing or are not ours", async () => {
    const letters = await packed({ project: PROJECT, aim: null });
    for (const wrong of [
      "",
      "x",
      letters.slice(0, -9),
      `%${letters}`,
      "A".repeat(MOST_LETTERS + 1),
      btoa("{}"),
    ])
      expect(await unpacked(wrong)).toBeNull();
  });

  it("is not unpacked where it would be too large", async () => {
    const huge = await packed({ project: { ...PROJECT, notes: "a".repeat(2_000_000) }, aim: null });
    expect(huge.length).toBeLessThan(MOST_LETTERS); // a few letters may hold very much
    expect(await unpacked(huge)).toBeNull();
  });

  it("has no camera where its numbers are none", async () => {
    for (const aim of [
      [1, 2, 3],
      [1, 2, 3, 4, 5, 1e9],
      ["a", 1, 2, 3, 4, 5],
    ]) {
      const letters = await packed({ project: PROJECT, aim: null });
      expect((await unpacked(letters))?.aim).toBeNull();
      const stream = new Blob([JSON.stringify({ project: PROJECT, aim })])
        .stream()
        .pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      const found = await unpacked(text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
      expect(found?.project.title).toBe(PROJECT.title);
      expect(found?.aim).toBeNull();
    }
  });
});

describe("the name of a joint", () => {
  it("has the letter of formulas and the maker's word", () => {
    expect(jointName("revolute", "A1", 0)).toBe("θ₁ · A1");
    expect(jointName("prismatic", "Z", 2)).toBe("d₃ · Z");
    expect(jointName("revolute", "wrist", 11)).toBe("θ₁₂ · wrist");
  });
});
