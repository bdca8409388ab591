/** The arms to choose from, with their pictures and a search; arrow keys lead from card to card. */

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { armTitle } from "../../arm-title";
import { loadRobots, robots, robotsFailure } from "../../catalog";
import { number, t, unit } from "../../i18n";
import { importField } from "../../importing/start";
import { FailureNote } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { project } from "../../project";
import type { RobotRow } from "../../protocol.gen";
import { cardAfter, shortTitle } from "./changes";
import { byMaker, finding } from "./finding";
import { putOnBench } from "./put-on-bench";

const search = signal("");

export function Chooser() {
  const list = useRef<HTMLUListElement>(null);
  const rows = robots.value;
  if (rows === null) {
    if (robotsFailure.value !== null)
      return <FailureNote failure={robotsFailure.value} onRetry={() => void loadRobots()} />;
    return <p class="quiet">{t("loading.arms")}</p>;
  }
  const found = byMaker(finding(rows, search.value, aboutOf)).flatMap(([, arms]) => arms);
  const isSearching = search.value.trim() !== "";
  const press = (event: KeyboardEvent): void => {
    const [first] = found;
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Enter" && found.length === 1 && first !== undefined) void putOnBench(first);
    else cardsOf(list.current)[0]?.focus();
  };
  return (
    <div class="arms">
      <Search onPress={press} />
      <ImportButtons />
      <p class="count" role="status">
        {t(isSearching ? "arm.list.found" : "arm.list.count", { n: found.length })}
      </p>
      {found.length === 0 ? <NoneFound /> : <Cards rows={found} list={list} />}
    </div>
  );
}

/** What a row says besides its name, in the reader's language. */
function aboutOf(row: RobotRow): string {
  return `${armTitle(row)} ${t("arm.list.axes", { n: row.dof })}`;
}

function Search({ onPress }: { onPress: (event: KeyboardEvent) => void }) {
  return (
    <div class="search">
      <svg viewBox="0 0 20 20" aria-hidden="true" class="glyph">
        <circle cx="8.800" cy="8.800" r="4.800" />
        <path d="M12.500 12.500L16.500 16.500" />
      </svg>
      <input
        type="search"
        aria-label={t("arm.list.search")}
        placeholder={t("arm.list.searchHint")}
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
        onKeyDown={onPress}
      />
    </div>
  );
}

const KINDS = ".urdf,.xacro,.xml,.mjcf,.sdf,.toml,.csv,.json,.zip,.stl,.obj,.dae,.glb,.gltf,.ply";

/** An arm that is not in the catalog: a file or several, a zip, or a folder. */
function ImportButtons() {
  return (
    <div class="arm-import">
      <FilePicker title={t("import.open")} hint={t("import.openHint")} accept={KINDS} />
      <FilePicker title={t("import.openFolder")} hint={t("import.dropHint")} folder />
    </div>
  );
}

interface FilePickerProps {
  readonly title: string;
  readonly hint: string;
  readonly accept?: string;
  readonly folder?: boolean;
}

/** A button that opens the system's own dialog. */
function FilePicker({ title, hint, accept = "", folder = false }: FilePickerProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.webkitdirectory = folder;
  }, [folder]);
  return (
    <>
      <button type="button" title={hint} onClick={() => field.current?.click()}>
        <Icon name={folder ? "open" : "upload"} />
        {title}
      </button>
      <input
        ref={field}
        class="unseen"
        type="file"
        multiple
        accept={accept}
        tabIndex={-1}
        aria-label={title}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files !== null && files.length > 0) importField(files);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

function NoneFound() {
  return (
    <div class="none">
      <p>{t("arm.list.none", { text: search.value.trim() })}</p>
      <button type="button" onClick={() => (search.value = "")}>
        {t("arm.list.clear")}
      </button>
    </div>
  );
}

interface CardsProps {
  readonly rows: readonly RobotRow[];
  readonly list: { current: HTMLUListElement | null };
}

/** One card at a time is in the order of tabs: the one that had the focus last, or the arm on the bench. */
function Cards({ rows, list }: CardsProps) {
  const last = useSignal("");
  const chosen = project.value?.arm.name ?? "";
  const names = rows.map((row) => row.name);
  const inOrder = [last.value, chosen].find((name) => names.includes(name)) ?? names[0];
  const press = (event: KeyboardEvent): void => {
    const cards = cardsOf(list.current);
    const index = cards.findIndex((card) => card === document.activeElement);
    const goal = index < 0 ? null : cardAfter(event.key, index, cards.length, columnsOf(cards));
    if (goal === null) return;
    event.preventDefault();
    cards[goal]?.focus();
  };
  return (
    <ul ref={list} class="arm-cards" aria-label={t("arm.list.heading")} onKeyDown={press}>
      {rows.map((row) => (
        <li key={row.name}>
          <ArmCard
            row={row}
            isChosen={row.name === chosen}
            isInOrder={row.name === inOrder}
            onFocus={() => (last.value = row.name)}
          />
        </li>
      ))}
    </ul>
  );
}

interface ArmCardProps {
  readonly row: RobotRow;
  readonly isChosen: boolean;
  readonly isInOrder: boolean;
  readonly onFocus: () => void;
}

function ArmCard({ row, isChosen, isInOrder, onFocus }: ArmCardProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) bringIntoSight(button.current);
  }, [isChosen]);
  return (
    <button
      ref={button}
      type="button"
      class="arm-card"
      data-arm-name={row.name}
      tabIndex={isInOrder ? 0 : -1}
      aria-current={isChosen ? "true" : undefined}
      onFocus={onFocus}
      onClick={() => void putOnBench(row)}
    >
      <Picture row={row} />
      <span class="arm-card-title">{shortTitle(armTitle(row), row.maker)}</span>
      <span class="arm-card-fact" title={row.maker === "" ? t("arm.list.noMaker") : row.maker}>
        {row.maker === "" ? t("arm.list.noMaker") : row.maker}
      </span>
      <span class="arm-card-fact">
        {t("arm.list.axes", { n: row.dof })} · {number(row.wrist_reach ?? row.reach, 0)} {unit("mm")}
      </span>
    </button>
  );
}

/** The place is kept before the picture is there, and where it never comes. */
function Picture({ row }: { row: RobotRow }) {
  const isMissing = useSignal(false);
  return (
    <span class="arm-picture">
      {isMissing.value ? (
        <Icon name="arm" />
      ) : (
        <img
          src={`api/robots/${encodeURIComponent(row.name)}/picture.png`}
          alt={t("arm.list.picture", { title: armTitle(row) })}
          width={320}
          height={240}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => (isMissing.value = true)}
        />
      )}
    </span>
  );
}

function cardsOf(list: HTMLElement | null): readonly HTMLButtonElement[] {
  return [...(list?.querySelectorAll<HTMLButtonElement>(".arm-card") ?? [])];
}

function columnsOf(cards: readonly HTMLElement[]): number {
  const top = cards[0]?.getBoundingClientRect().top;
  return Math.max(1, cards.filter((card) => card.getBoundingClientRect().top === top).length);
}

/** Scroll the list alone: the panel around it stays where it is. */
function bringIntoSight(card: HTMLElement | null): void {
  const list = card?.closest<HTMLElement>(".arm-cards") ?? null;
  if (card === null || list === null) return;
  const [at, room] = [card.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.top < room.top) list.scrollTop -= room.top - at.top + 8;
  else if (at.bottom > room.bottom) list.scrollTop += at.bottom - room.bottom + 8;
}
