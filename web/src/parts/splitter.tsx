/** `<Splitter …/>`: a line between two areas; drag it, or focus it and use the arrows; a double click resets it. */

import { clamp } from "../numbers";

interface SplitterProps {
  /** The name of its grid area too. */
  readonly name: string;
  readonly label: string;
  /** "vertical": the line stands upright and moves left and right. */
  readonly orientation: "vertical" | "horizontal";
  /** The size in px of the area that it changes, and which way makes it larger: 1 right or down, -1 left or up. */
  readonly size: number;
  readonly grows: 1 | -1;
  readonly lower: number;
  readonly upper: number;
  readonly controls: string;
  readonly onSize: (size: number) => void;
  readonly onReset: () => void;
}

const STEP = 16;
const BIG_STEP = 64;

export function Splitter(props: SplitterProps) {
  const { name, label, orientation, size, grows, lower, upper, controls, onSize, onReset } = props;
  const set = (wanted: number): void => onSize(Math.round(clamp(wanted, lower, upper)));
  const press = (event: KeyboardEvent): void => {
    const by = stepOf(event.key, orientation) * (event.shiftKey ? BIG_STEP : STEP) * grows;
    if (by !== 0) set(size + by);
    else if (event.key === "Home") set(lower);
    else if (event.key === "End") set(upper);
    else if (event.key === "Enter") onReset();
    else return;
    event.preventDefault();
  };
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const at = (moved: PointerEvent): number => (orientation === "vertical" ? moved.clientX : moved.clientY);
    const from = at(event);
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (moved) => set(size + (at(moved) - from) * grows);
    handle.onlostpointercapture = () => (handle.onpointermove = null);
  };
  return (
    <div
      class="splitter"
      data-splitter={name}
      data-orientation={orientation}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={size}
      aria-valuemin={lower}
      aria-valuemax={upper}
      aria-controls={controls}
      onKeyDown={press}
      onPointerDown={drag}
      onDblClick={onReset}
    />
  );
}

function stepOf(key: string, orientation: "vertical" | "horizontal"): number {
  const [less, more] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  return key === more ? 1 : key === less ? -1 : 0;
}
