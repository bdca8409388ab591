/** Ask a slow helper for the newest of many fast questions. */

export interface Latest<Question> {
  /** Ask; while an answer is on its way, only the newest question waits for its turn. */
  ask(question: Question): void;
  /** Forget the waiting question, and the answer that is still on its way. */
  forget(): void;
}

/** Return an asker with one question under way at a time, so that answers arrive in order and none is late.
 *
 * A slider asks far more often than the server can answer: questions that were overtaken are never sent, and the
 * newest one always is. */
export function latestWins<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  onAnswer: (answer: Answer, question: Question) => void,
  onFailure: (reason: unknown, question: Question) => void,
): Latest<Question> {
  let waiting: { question: Question } | null = null;
  let busy = false;
  let round = 0;

  async function run(question: Question): Promise<void> {
    const mine = round;
    try {
      const result = await answer(question);
      if (mine === round) onAnswer(result, question);
    } catch (reason) {
      if (mine === round) onFailure(reason, question);
    }
  }

  async function drain(): Promise<void> {
    busy = true;
    while (waiting !== null) {
      const { question } = waiting;
      waiting = null;
      await run(question);
    }
    busy = false;
  }

  return {
    ask(question) {
      waiting = { question };
      if (!busy) void drain();
    },
    forget() {
      waiting = null;
      round += 1;
    },
  };
}
