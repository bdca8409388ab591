import { describe, expect, test } from "vitest";
import { latestWins } from "../src/latest";

/** A helper that answers when it is told to, and the record of what happened. */
function slowHelper() {
  const asked: number[] = [];
  const events: string[] = [];
  const settle: ((fails: boolean) => void)[] = [];
  const answer = (question: number): Promise<number> => {
    asked.push(question);
    return new Promise((resolve, reject) => {
      settle.push((fails) => (fails ? reject(new Error("no")) : resolve(question * 10)));
    });
  };
  const asker = latestWins(
    answer,
    (value, question) => events.push(`${question} is ${value}`),
    (_, question) => events.push(`${question} failed`),
  );
  const finish = async (fails = false): Promise<void> => {
    settle.shift()?.(fails);
    await new Promise((resume) => setTimeout(resume, 0));
  };
  return { asker, asked, events, finish };
}

describe("latestWins", () => {
  test("asks at once when nothing is under way", async () => {
    const { asker, asked, events, finish } = slowHelper();
    asker.ask(1);
    expect(asked).toEqual([1]);
    await finish();
    expect(events).toEqual(["1 is 10"]);
  });

  test("never sends a question that was overtaken, and always sends the newest", async () => {
    const { asker, asked, events, finish } = slowHelper();
    for (const question of [1, 2, 3, 4]) asker.ask(question);
    await finish();
    await finish();
    expect(asked).toEqual([1, 4]);
    expect(events).toEqual(["1 is 10", "4 is 40"]);
  });

  test("goes on after a failure", async () => {
    const { asker, events, finish } = slowHelper();
    asker.ask(1);
    asker.ask(2);
    await finish(true);
    await finish();
    expect(events).toEqual(["1 failed", "2 is 20"]);
  });

  test("forgets the waiting question and the answer under way", async () => {
    const { asker, asked, events, finish } = slowHelper();
    asker.ask(1);
    asker.ask(2);
    asker.forget();
    asker.ask(3);
    await finish();
    await finish();
    expect(asked).toEqual([1, 3]);
    expect(events).toEqual(["3 is 30"]);
  });
});
