import { expect, test } from "vitest";
import type { Model } from "../src/viewer/model";
import { Showing } from "../src/viewer/showing";

interface Glass {
  isTransparent: boolean;
}

function arm(): Glass & Model {
  const made = {
    isTransparent: false,
    setTransparent(isTransparent: boolean) {
      made.isTransparent = isTransparent;
    },
  };
  return made as unknown as Glass & Model;
}

type Parts = ConstructorParameters<typeof Showing>;

function showing(): Showing {
  const nothing = (): void => undefined;
  const stage = { draw: nothing, drawMoved: nothing } as unknown as Parts[0];
  return new Showing(stage, nothing as unknown as Parts[1], {} as Parts[2], nothing as unknown as Parts[3]);
}

test("the arm that was seen through is solid again when another is selected", () => {
  const [first, second] = [arm(), arm()];
  const made = showing();
  made.changeArm(first);
  made.xray = true;
  made.changeArm(second);
  expect([first.isTransparent, second.isTransparent]).toEqual([false, true]);
  made.xray = false;
  made.changeArm(first);
  expect([first.isTransparent, second.isTransparent]).toEqual([false, false]);
});
