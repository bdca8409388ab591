import { beforeEach, expect, test } from "vitest";
import { live } from "../src/live";
import { isCurrent, ownJoints, questionAt } from "../src/own-joints";
import { doc } from "../src/project";
import type { Document } from "../src/protocol.gen";

beforeEach(() => {
  doc.value = { revision: 4 } as unknown as Document;
  live.q = new Float32Array([1.23456, -2]);
});

test.each([
  [3, false],
  [4, true],
  [5, false],
])("joints of revision %i are the document's own only where it has that revision", (revision, isSo) => {
  live.revision = revision;
  expect(isCurrent()).toBe(isSo);
  expect(ownJoints()).toEqual(isSo ? { q: [1.235, -2], revision: 4 } : null);
});

test("a question says which revision its joints are of", () => {
  expect(questionAt({ q: [1.235, -2], revision: 4 })).toBe("q=1.235,-2&revision=4");
});

test("before the first document or state there are none", () => {
  live.revision = 4;
  live.q = new Float32Array(0);
  expect(ownJoints()).toBeNull();
  doc.value = null;
  expect(isCurrent()).toBe(false);
});
