/** The arms to choose from, by maker, with a search; on small screens behind a button. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { number, t, unit } from "../i18n";
import type { RobotRow } from "../protocol.gen";
import { byMaker, matching } from "../search";
import { chosen, robots, robotsFailure } from "../state";
import { FailureNote } from "./failure";

const search = signal("");
/** Only small screens look at this: there the list opens over the page. */
const isOpen = signal(false);

export function ArmList() {
  const row = robots.value?.find((candidate) => candidate.name === chosen.value);
  return (
    <nav class="arms" aria-label={t("arms.heading")} data-open={isOpen.value}>
      <button
        type="button"
        class="arms-toggle"
        aria-expanded={isOpen.value}
        aria-controls="arms-body"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span>
          <span class={row === undefined ? "" : "unseen"}>{t("arms.heading")} </span>
          {row?.title}
        </span>
        <svg viewBox="0 0 20 20" aria-hidden="true" class="glyph">
          <path d="M5.500 8l4.500 4.500L14.500 8" />
        </svg>
      </button>
      <div id="arms-body" class="arms-body">
        <Search />
        <Found />
      </div>
    </nav>
  );
}

function Search() {
  return (
    <div class="search">
      <h2 class="unseen">{t("arms.heading")}</h2>
      <svg viewBox="0 0 20 20" aria-hidden="true" class="glyph">
        <circle cx="8.800" cy="8.800" r="4.800" />
        <path d="M12.500 12.500L16.500 16.500" />
      </svg>
      <input
        type="search"
        aria-label={t("arms.search")}
        placeholder={t("arms.searchHint")}
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
    </div>
  );
}

function Found() {
  const rows = robots.value;
  if (rows === null) {
    if (robotsFailure.value !== null) return <FailureNote failure={robotsFailure.value} />;
    return <p class="quiet">{t("loading.arms")}</p>;
  }
  const found = matching(rows, search.value);
  const isSearching = search.value.trim() !== "";
  return (
    <>
      <p class="count" role="status">
        {t(isSearching ? "arms.found" : "arms.count", { n: found.length })}
      </p>
      {found.length === 0 ? <NoneFound /> : <Groups rows={found} />}
    </>
  );
}

function NoneFound() {
  return (
    <div class="none">
      <p>{t("arms.none", { text: search.value.trim() })}</p>
      <button type="button" onClick={() => (search.value = "")}>
        {t("arms.clear")}
      </button>
    </div>
  );
}

function Groups({ rows }: { rows: readonly RobotRow[] }) {
  return (
    <div class="groups" tabIndex={-1}>
      {byMaker(rows).map(([maker, arms]) => (
        <section key={maker}>
          <h3>{maker === "" ? t("arms.noMaker") : maker}</h3>
          <ul>
            {arms.map((row) => (
              <Arm key={row.name} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Arm({ row }: { row: RobotRow }) {
  const isChosen = chosen.value === row.name;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isChosen) link.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li>
      <a
        ref={link}
        class="arm"
        href={`#${row.name}`}
        aria-current={isChosen ? "true" : undefined}
        onClick={() => (isOpen.value = false)}
      >
        <span class="arm-title">{row.title}</span>
        <span class="arm-name">{row.name}</span>
        <span class="arm-facts">
          {t("arms.axes", { n: row.dof })} · {number(row.reach, 0)} {unit("mm")}
        </span>
      </a>
    </li>
  );
}
