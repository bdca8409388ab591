import { describe, expect, test } from "vitest";
import { applied, type Change, difference } from "../src/patch";
import { newArm } from "../src/arms";
import { afterChange, plainArm } from "../src/project";
import type { Changed, Document } from "../src/protocol.gen";

/** Numbers from 0 to 1 that are the same each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = ["a", "b", "😀", "😁", "д", "\n", "x".repeat(120)] as const;

function someText(next: () => number): string {
  return Array.from({ length: Math.floor(next() * 5) }, () => PIECES[Math.floor(next() * 7)] ?? "").join("");
}

function someDocument(next: () => number, depth = 0): unknown {
  const kind = Math.floor(next() * (depth > 4 ? 4 : 7));
  if (kind === 0) return null;
  if (kind === 1) return next() < 0.5;
  if (kind === 2) return Math.round(next() * 4) / 2;
  if (kind === 3) return someText(next);
  const length = Math.floor(next() * 4);
  const items = Array.from({ length }, () => someDocument(next, depth + 1));
  return kind < 6 ? Object.fromEntries(items.map((item, i) => ["abc"[i] ?? "d", item])) : items;
}

describe("a difference of documents", () => {
  test("leads from one to the other, also after a journey as JSON", () => {
    const next = randomNumbers(7);
    for (let round = 0; round < 3000; round += 1) {
      const before = someDocument(next);
      const after = someDocument(next);
      const changes = JSON.parse(JSON.stringify(difference(before, after))) as Change[];
      expect(applied(before, changes)).toEqual(after);
    }
  });

  test("is small where little has changed, and never cuts a letter of two units", () => {
    expect(difference({ a: 1, b: [1] }, { a: 2, b: [1] })).toEqual([{ path: ["a"], value: 2 }]);
    expect(difference([1, 2, 3], [1, 3])).toEqual([{ path: [], at: 1, remove: 1, insert: [] }]);
    expect(difference([{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }])).toEqual([{ path: [1, "n"], value: 3 }]);
    const faces = "😀".repeat(59);
    expect(difference(`${faces}😀`, `${faces}😁`)).toEqual([{ path: [], at: 118, remove: 2, insert: "😁" }]);
    const many = Array.from({ length: 2000 }, (_, n) => ({ n }));
    const others = many.map(({ n }) => ({ n: -n - 1 }));
    expect(difference(many, others)).toEqual([{ path: [], value: others }]);
  });

  test("of places that are not there is refused, and what it does not touch stays the same object", () => {
    expect(() => applied({ a: [1] }, [{ path: ["a", 1], value: 2 }])).toThrow(RangeError);
    expect(() => applied({ a: "text" }, [{ path: ["a"], at: 3, remove: 2, insert: "" }])).toThrow(RangeError);
    const before = { a: { b: 1 }, c: { d: [2] } };
    const after = applied(before, [{ path: ["a", "b"], value: 2 }]);
    expect(after.c).toBe(before.c);
    expect(before.a.b).toBe(1);
  });
});

describe("what the session tells of a change", () => {
  const project = { title: "one", arms: [newArm("arm", plainArm("ur5e"))] } as unknown as Document["project"];
  const document: Document = {
    type: "document",
    project,
    revision: 4,
    layout: { joints: ["a"], links: [], bodies: [], others: [] },
    selected: "arm",
    undo: null,
    redo: null,
  };
  const told: Changed = {
    type: "changed",
    changes: [{ path: ["title"], value: "two" }],
    revision: 5,
    layout: null,
    selected: "arm",
    undo: "title",
    redo: null,
  };

  test("makes the next document", () => {
    const after = afterChange(document, told);
    expect(after).toMatchObject({ revision: 5, undo: "title", project: { title: "two" } });
    expect(after?.project.arms).toBe(project.arms);
    expect(after?.layout).toBe(document.layout);
  });

  test("is of no use where one was missed, or the document is another", () => {
    expect(afterChange(null, told)).toBeNull();
    expect(afterChange(document, { ...told, revision: 6 })).toBeNull();
    expect(afterChange(document, { ...told, changes: [{ path: ["poses", 0], value: 1 }] })).toBeNull();
  });
});
