import { expect, test } from "vitest";
import type { RobotRow } from "../src/protocol.gen";
import { byMaker, matching } from "../src/search";

function row(name: string, maker: string, dof: number): RobotRow {
  return { name, title: name.toUpperCase(), maker, dof, reach: 905.6, source: "made up" };
}

const ROWS = [row("one-six", "Zeta", 6), row("two-six", "Alpha", 6), row("one-four", "Zeta", 4)];

test("every word of the search has to match somewhere", () => {
  const names = (text: string): string[] => matching(ROWS, text).map(({ name }) => name);
  expect(names("")).toEqual(["one-six", "two-six", "one-four"]);
  expect(names("ZETA one")).toEqual(["one-six", "one-four"]);
  expect(names(" six alpha ")).toEqual(["two-six"]);
  expect(names("nothing")).toEqual([]);
});

test("arms are set out by maker, makers in order", () => {
  expect(byMaker(ROWS).map(([maker, arms]) => [maker, arms.length])).toEqual([
    ["Alpha", 1],
    ["Zeta", 2],
  ]);
});
