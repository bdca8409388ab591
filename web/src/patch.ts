/** Small changes of a document: what an edit sends, and what the session tells of it; as armlab.cell.patch has them. */

import type { SetValue, Splice } from "./protocol.gen";

export type Change = SetValue | Splice;
type Path = SetValue["path"];

const DEEPEST = 12;
/** Letters of a text from which on only what has changed in it is told. */
const LONG_TEXT = 100;

const MOST_CHANGES = 1000;

/** Return changes that make one document into another: few where little has changed. */
export function difference(before: unknown, after: unknown): readonly Change[] {
  const changes = changesAt(before, after, []);
  return changes.length <= MOST_CHANGES ? changes : [{ path: [], value: after }];
}

function changesAt(before: unknown, after: unknown, path: Path): readonly Change[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after) && path.length < DEEPEST)
    return ofLists(before, after, path);
  if (isTable(before) && isTable(after) && path.length < DEEPEST && haveSameKeys(before, after))
    return Object.keys(before).flatMap((key) => changesAt(before[key], after[key], [...path, key]));
  if (typeof before === "string" && typeof after === "string" && before.length > LONG_TEXT) {
    const [start, end] = textEnds(before, after);
    const insert = after.slice(start, after.length - end);
    return [{ path, at: start, remove: before.length - end - start, insert }];
  }
  return [{ path, value: after }];
}

/** Return a document with changes; what they do not touch is the same object as before. */
export function applied<Document>(document: Document, changes: readonly Change[]): Document {
  return changes.reduce<unknown>((value, change) => at(value, change.path, change), document) as Document;
}

function ofLists(before: readonly unknown[], after: readonly unknown[], path: Path): readonly Change[] {
  const [start, end] = commonEnds(before, after, areSame);
  const isDeep = [...before, ...after].every((item) => typeof item === "object" && item !== null);
  if (before.length === after.length && isDeep)
    return before
      .slice(start, before.length - end)
      .flatMap((item, i) => changesAt(item, after[start + i], [...path, start + i]));
  const remove = before.length - end - start;
  const insert = after.slice(start, after.length - end);
  return remove === 0 && insert.length === 0 ? [] : [{ path, at: start, remove, insert }];
}

function areSame(one: unknown, other: unknown): boolean {
  return one === other || changesAt(one, other, []).length === 0;
}

/** Return how many items are the same at the beginning, and how many of the others at the end. */
function commonEnds<Item>(
  before: readonly Item[],
  after: readonly Item[],
  same: (one: Item | undefined, other: Item | undefined) => boolean,
): readonly [number, number] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && same(before[start], after[start])) start += 1;
  let end = 0;
  while (end < most - start && same(before.at(-1 - end), after.at(-1 - end))) end += 1;
  return [start, end];
}

/** The same of texts; a letter of two units (an emoji) is never cut. */
function textEnds(before: string, after: string): readonly [number, number] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start > 0 && isFirstHalf(before.charCodeAt(start - 1))) start -= 1;
  let end = 0;
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  if (end > 0 && isSecondHalf(before.charCodeAt(before.length - end))) end -= 1;
  return [start, end];
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

function at(value: unknown, path: Path, change: Change): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return "value" in change ? change.value : spliced(value, change);
  if (typeof key === "number" && Array.isArray(value) && key < value.length)
    return (value as readonly unknown[]).with(key, at(value[key], rest, change));
  if (typeof key === "string" && isTable(value)) return { ...value, [key]: at(value[key], rest, change) };
  throw new RangeError(`no place ${path.join(".")}`);
}

function spliced(value: unknown, { at: start, remove, insert, path }: Splice): unknown {
  if (typeof value === "string" && typeof insert === "string" && start + remove <= value.length)
    return value.slice(0, start) + insert + value.slice(start + remove);
  if (Array.isArray(value) && typeof insert !== "string" && start + remove <= value.length)
    return (value as readonly unknown[]).toSpliced(start, remove, ...insert);
  throw new RangeError(`no place ${path.join(".")}`);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function haveSameKeys(one: object, other: object): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other);
}
