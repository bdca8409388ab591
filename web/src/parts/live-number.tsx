/** `<LiveNumber of={() => live.gap} digits={2} unit="mm" />`: a number of the state, 10 times a second, cheaply. */

import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { number, unit as unitWord } from "../i18n";
import { followSlow } from "../live";

interface LiveNumberProps {
  readonly of: () => number | null | undefined;
  readonly digits: number;
  readonly unit?: string;
}

export function LiveNumber({ of, digits, unit }: LiveNumberProps) {
  const read = useRef(of);
  read.current = of;
  const text = useComputed(() => {
    followSlow();
    const value = read.current();
    return value == null || !Number.isFinite(value) ? "–" : number(value, digits);
  });
  return (
    <>
      <span class="live-number">{text}</span>
      {unit !== undefined && <span class="unit">{unitWord(unit)}</span>}
    </>
  );
}
