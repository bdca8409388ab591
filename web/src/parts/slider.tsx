/** `<Slider label={…} value={…} lower={…} upper={…} onInput={…} />`: a range; arrows 1, with Shift 0.1, pages 10. */

import { useMemo } from "preact/hooks";
import { measure } from "../i18n";
import { clamp, rounded } from "../numbers";
import { TouchIntent } from "./touch-intent";

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly unit?: string;
  readonly digits?: number;
  readonly step?: number;
  /** Where the track is filled from; 0 where that is inside. */
  readonly from?: number;
  /** A mark on the track: where the thing really is, while the thumb is the target. */
  readonly actual?: number;
  /** A notch on the track, such as the value that it began with. */
  readonly notch?: number;
  readonly disabled?: boolean;
  /** What is said for a value; by default the number with its unit. */
  readonly says?: (value: number) => string;
  readonly onInput: (value: number) => void;
  /** A hand takes hold of it, and lets go. */
  readonly onHold?: () => void;
  readonly onRelease?: () => void;
}

export function Slider(props: SliderProps) {
  const { label, value, lower, upper, unit = "", digits = 2, step = 1, from = 0, actual, notch } = props;
  const { says = (now: number) => measure(now, digits, unit).trim() } = props;
  const touch = useMemo(() => new TouchIntent(), []);
  const share = (at: number): string =>
    `${(clamp((at - lower) / Math.max(upper - lower, 1e-9), 0, 1) * 100).toFixed(2)}%`;
  const move = (to: number): void => props.onInput(clamp(rounded(to, digits), lower, upper));
  const isApart = actual !== undefined && Math.abs(actual - value) > (upper - lower) * 0.004;
  const style: Record<string, string> = { "--at": share(value), "--from": share(clamp(from, lower, upper)) };
  if (actual !== undefined) style["--share"] = (parseFloat(share(actual)) / 100).toFixed(4);
  if (notch !== undefined) style["--notch"] = (parseFloat(share(notch)) / 100).toFixed(4);
  return (
    <span class="slider-box" style={style}>
      {notch !== undefined && <span class="slider-notch" aria-hidden="true" />}
      {isApart && <span class="slider-actual" aria-hidden="true" />}
      <input
        class="slider"
        type="range"
        min={lower}
        max={upper}
        step="any"
        value={value}
        disabled={props.disabled}
        aria-label={label}
        aria-valuetext={says(value)}
        onPointerDown={(event) => {
          touch.onDown(event);
          props.onHold?.();
        }}
        onPointerMove={(event) => touch.onMove(event)}
        onPointerUp={(event) => {
          const tapped = touch.onUp(event);
          if (tapped !== null) move(tapped);
          props.onRelease?.();
        }}
        onPointerCancel={(event) => {
          touch.onCancel(event);
          props.onRelease?.();
        }}
        onChange={props.onRelease}
        onInput={(event) => {
          const { currentTarget: input } = event;
          if (touch.onValue(input.valueAsNumber)) move(input.valueAsNumber);
          else input.valueAsNumber = value;
        }}
        onKeyDown={(event) => {
          const by = stepOf(event.key, event.shiftKey);
          if (by === null) return;
          event.preventDefault();
          move(value + by * step);
        }}
      />
    </span>
  );
}

/** How many steps a key moves a slider; null for keys that the browser handles. */
export function stepOf(key: string, isFine: boolean): number | null {
  if (key === "ArrowRight" || key === "ArrowUp") return isFine ? 0.1 : 1;
  if (key === "ArrowLeft" || key === "ArrowDown") return isFine ? -0.1 : -1;
  if (key === "PageUp") return 10;
  if (key === "PageDown") return -10;
  return null;
}
