import { expect, test } from "vitest";
import { wantedBy } from "../src/address";

const NOTHING = { arm: null, paper: null, panel: null, mode: null, situation: null };

test("a name behind the # is an arm, pairs name what is opened", () => {
  expect(wantedBy("")).toBeNull();
  expect(wantedBy("#")).toBeNull();
  expect(wantedBy("#ur5e")).toEqual({ ...NOTHING, arm: "ur5e" });
  expect(wantedBy("#%D0%B0")).toEqual({ ...NOTHING, arm: "а" });
  expect(wantedBy("#%")).toEqual({ ...NOTHING, arm: "%" });
  expect(wantedBy("#panel=jog&mode=tool")).toEqual({ ...NOTHING, panel: "jog", mode: "tool" });
  expect(wantedBy("#open=a_B-9")).toEqual({ ...NOTHING, situation: "a_B-9" });
  expect(wantedBy("#paper=s1-gcode&arm=ur5e")).toEqual({ ...NOTHING, paper: "s1-gcode", arm: "ur5e" });
});
