/** A button that moves an axis while it is held, or by one step with each press; shows the key that does the same. */

import { t } from "../../i18n";
import { capOf } from "./keymap";
import { caps } from "./listening";
import { holder, stepAxis } from "./moving";
import { step } from "./state";

interface HoldButtonProps {
  readonly name: string;
  readonly axis: number;
  readonly sign: -1 | 1;
}

export function HoldButton({ name, axis, sign }: HoldButtonProps) {
  const isHold = step.value === "hold";
  const cap = capOf(axis, sign, caps.value);
  const label = t(sign < 0 ? "jog.minus" : "jog.plus", { name });
  return (
    <button
      type="button"
      class="jog-hold"
      data-hold={`${name}${sign < 0 ? "-" : "+"}`}
      data-sign={sign}
      aria-label={label}
      aria-keyshortcuts={cap === "" ? undefined : cap}
      title={t(isHold ? "jog.holdHint" : "jog.stepHint", { name })}
      onPointerDown={(event) => {
        if (!isHold || event.button !== 0) return;
        event.currentTarget.releasePointerCapture(event.pointerId); // a finger that slides off must let go
        holder.hold(`pointer${event.pointerId}`, axis, sign);
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onPointerLeave={release}
      onBlur={() => holder.release(`button${axis}${sign}`)}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        // A key that repeats does not begin again: who was made to let go must press again.
        if (isHold && !event.repeat) holder.hold(`button${axis}${sign}`, axis, sign);
        if (isHold || event.repeat) event.preventDefault();
      }}
      onKeyUp={(event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        holder.release(`button${axis}${sign}`);
        if (isHold) event.preventDefault();
      }}
      onClick={(event) => {
        // While holding, only a click that no pointer made counts: that of a screen reader, which cannot hold.
        if (!isHold || event.detail === 0) stepAxis(axis, sign);
      }}
    >
      {sign < 0 && <Cap text={cap} />}
      <span class="jog-sign" aria-hidden="true">
        {sign < 0 ? "−" : "+"}
      </span>
      {sign > 0 && <Cap text={cap} />}
    </button>
  );
}

function Cap({ text }: { text: string }) {
  if (text === "") return null;
  return <kbd aria-hidden="true">{text}</kbd>;
}

function release(event: PointerEvent): void {
  holder.release(`pointer${event.pointerId}`);
}
