/** Formulas: typeset, and lighting up the links that they are about when pointed at or focused. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { linkTitle, t } from "../../i18n";
import { layout } from "../../project";
import type { FormulaItem } from "../../protocol.gen";
import { view } from "../../viewer/view";
import { hasFailed, katex, pieces, placesIn, placesOf, typeset } from "./tex";

/** Which links were lit by keys last, for those who do not see them. */
export const told = signal("");

/** One formula; `display`: on a line of its own. It is typeset again only where its text changes. */
export function Tex({ tex, display = false }: { tex: string; display?: boolean }) {
  const element = useRef<HTMLSpanElement>(null);
  const loaded = katex.value;
  useLayoutEffect(() => {
    if (element.current === null || loaded === null) return;
    typeset(loaded, tex, element.current, display);
  }, [loaded, tex, display]);
  return <span ref={element} class="mathematics-tex" data-tex={tex} />;
}

/** Words with formulas in them. */
export function Words({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) =>
        piece.isTex ? <Tex key={i} tex={piece.text} /> : <span key={i}>{piece.text}</span>,
      )}
    </>
  );
}

/** Words, formulas or a table; `hasNumbers`: each formula also with the numbers of the pose put in. */
export function Item({ item, hasNumbers = false }: { item: FormulaItem; hasNumbers?: boolean }) {
  const { title, text, latex, numbers, header, rows } = item;
  return (
    <div class="mathematics-item">
      {title !== "" && <h4>{title}</h4>}
      {text !== "" && (
        <p>
          <Words text={text} />
        </p>
      )}
      {latex.map((line, i) => (
        <Lit key={i} places={placesIn(line)} class="mathematics-line">
          <Line tex={line} />
          {hasNumbers && (numbers[i] ?? "") !== "" && (
            <div class="mathematics-numbers">
              <Line tex={numbers[i] ?? ""} />
            </div>
          )}
        </Lit>
      ))}
      {rows.length > 0 && <Cells header={header} rows={rows} />}
    </div>
  );
}

function Line({ tex }: { tex: string }) {
  return hasFailed.value ? <code>{tex}</code> : <Tex tex={tex} display />;
}

function Cells({ header, rows }: { header: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <div
      class="scroll"
      tabIndex={0}
      role="region"
      aria-label={t("mathematics.table")}
      onKeyDown={(event) => step(event, "ArrowUp", "ArrowDown", "tr[data-places]")}
      onBlur={() => light([], null)}
    >
      <table class="numbers mathematics-table">
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th key={i} scope="col">
                <Words text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <RowOf key={i} row={row} isNumbered={header[0] === "" && header[1] === "joint"} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row that begins with a joint's number is about that joint's link. */
function RowOf({ row, isNumbered }: { row: readonly string[]; isNumbered: boolean }) {
  const places = isNumbered ? placesOf(row[0] ?? "") : placesIn(row.join(" "));
  return (
    <tr {...pointing(places)} data-places={places.join(" ")}>
      {row.map((cell, i) => (
        <td key={i}>
          <Words text={cell} />
        </td>
      ))}
    </tr>
  );
}

/** Something that lights up links: all of its own, or those of the symbol under the pointer. */
function Lit({
  places,
  class: name,
  children,
}: {
  places: readonly number[];
  class: string;
  children: ComponentChildren;
}) {
  const names = namesOf(places);
  const label =
    names.length === 0 ? undefined : t("mathematics.about", { links: names.map(linkTitle).join(", ") });
  return (
    <div
      class={name}
      tabIndex={0}
      role="group"
      aria-label={label}
      data-places={places.join(" ")}
      {...pointing(places)}
      onKeyDown={(event) => step(event, "ArrowLeft", "ArrowRight", "[data-link]")}
    >
      {children}
    </div>
  );
}

/** Return handlers that light up links while something is pointed at or focused. */
function pointing(places: readonly number[]) {
  return {
    onPointerOver: (event: PointerEvent) => {
      const symbol = (event.target as Element).closest<HTMLElement>("[data-link]");
      light(symbol === null ? places : placesOf(symbol.dataset.link ?? ""), symbol);
    },
    onPointerLeave: () => light([], null),
    onFocus: () => light(places, null),
    onBlur: () => light([], null),
  };
}

let pointed: HTMLElement | null = null;

function light(places: readonly number[], symbol: HTMLElement | null): void {
  view.peek()?.highlight(namesOf(places));
  if (pointed === symbol) return;
  pointed?.removeAttribute("data-pointed");
  pointed = symbol;
  pointed?.setAttribute("data-pointed", "");
}

/** Go from one thing that lights a link to the next by keys, inside of what has the focus; it is told aloud, too. */
function step(event: KeyboardEvent, back: string, on: string, things: string): void {
  const box = event.currentTarget;
  if ((event.key !== back && event.key !== on) || !(box instanceof HTMLElement)) return;
  const all = [...box.querySelectorAll<HTMLElement>(things)].filter((thing) => marksOf(thing).length > 0);
  const next =
    all[
      nextPlace(
        all.findIndex((thing) => thing === pointed),
        event.key === on,
        all.length,
      )
    ];
  if (next === undefined) return;
  event.preventDefault();
  const places = marksOf(next);
  light(places, next);
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
  told.value = t("mathematics.lit", { links: namesOf(places).map(linkTitle).join(", ") });
}

/** Return the place after or before `at` among `count`, staying inside; at -1 nothing is pointed at yet. */
export function nextPlace(at: number, isOn: boolean, count: number): number {
  if (at < 0) return isOn ? 0 : count - 1;
  return Math.min(Math.max(at + (isOn ? 1 : -1), 0), count - 1);
}

function marksOf(thing: HTMLElement): number[] {
  return placesOf(thing.dataset.link ?? thing.dataset.places ?? "");
}

function namesOf(places: readonly number[]): string[] {
  const links = layout.peek()?.links ?? [];
  return places.map((place) => links[place]).filter((name) => name !== undefined);
}

/** Light nothing once the panel is gone. */
export function useDark(): void {
  useEffect(() => () => light([], null), []);
}
