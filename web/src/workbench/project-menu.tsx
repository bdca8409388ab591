/** The project's title and its file: save it, open one, start a new one. */

import { newArm } from "../arms";
import { signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import { sentence, t } from "../i18n";
import { isProject } from "../saved";
import { Icon, type IconName } from "../parts/icon";
import { placeBubble } from "../parts/help";
import { ask, asFailure } from "../api";
import { doc, edit, editWhole, plainArm, project, undo } from "../project";
import { saveFile, saveWhole, session } from "../session";
import { say } from "../toasts";
import { openPanel } from "./layout";
import { PapersMenu } from "./papers-menu";

/** Of a project without files of its own, and of one with them, which is a zip. */
const MAX_TEXT_MB = 10;
const MAX_ZIP_MB = 500;
const MAX_TITLE = 60;
/** What the server calls a project that nobody has named. */
const UNTITLED = "Untitled";
const isOpen = signal(false);

/** The arm, which leads to the catalog, and below it the project with its menu. */
export function ProjectMenu({ arm }: { arm: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const given = project.value?.title ?? UNTITLED;
  const title = given === UNTITLED ? t("project.untitled") : given;
  const after = (act: () => void): void => {
    menu.current?.hidePopover();
    act();
  };
  return (
    <div class="project">
      <button type="button" class="arm-button" title={t("arm.choose")} onClick={openCatalog}>
        <span class="project-title">{arm === "" ? t("loading.arm") : arm}</span>
      </button>
      <button
        ref={button}
        type="button"
        class="project-button"
        aria-expanded={isOpen.value}
        popovertarget="project-menu"
        title={t("project.menu")}
      >
        <span class="project-title">{t("project.named", { title })}</span>
        <Icon name="down" />
      </button>
      <div
        ref={menu}
        id="project-menu"
        class="menu"
        popover="auto"
        onToggle={(event) => {
          isOpen.value = event.newState === "open";
          if (isOpen.value && button.current !== null) placeBubble(event.currentTarget, button.current);
        }}
      >
        <TitleField />
        <Choice icon="save" title={t("project.save")} onClick={() => after(() => void saveIt())} />
        <Choice icon="open" title={t("project.open")} onClick={() => after(() => file.current?.click())} />
        <Choice icon="add" title={t("project.new")} onClick={() => after(() => void startNew())} />
        <PapersMenu onChoose={() => menu.current?.hidePopover()} />
      </div>
      <FileInput file={file} />
    </div>
  );
}

/** Bring the catalog of arms to the front. */
function openCatalog(): void {
  openPanel("arm");
  setTimeout(() => {
    const search = document.querySelector<HTMLElement>("#right input[type=search]");
    search?.scrollIntoView({ block: "center" });
    search?.focus({ preventScroll: true });
  }, 150);
}

function Choice({ icon, title, onClick }: { icon: IconName; title: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick}>
      <Icon name={icon} />
      {title}
    </button>
  );
}

async function saveIt(): Promise<void> {
  const now = doc.peek()?.project ?? null;
  if (now === null) return;
  try {
    await saveWhole(now.title);
  } catch (reason) {
    const failure = asFailure(reason);
    if (failure.code === "network")
      saveFile(now); // what the page has is all that there is
    else say("error", sentence(failure.message), { key: "project/save" });
  }
}

/** Unseen: the menu's button opens the system's own dialog. */
function FileInput({ file }: { file: RefObject<HTMLInputElement | null> }) {
  return (
    <input
      ref={file}
      class="unseen"
      type="file"
      accept=".json,.zip,application/json,application/zip"
      tabIndex={-1}
      aria-label={t("project.open")}
      onChange={(event) => {
        const [chosen] = event.currentTarget.files ?? [];
        event.currentTarget.value = "";
        if (chosen !== undefined) void openFile(chosen);
      }}
    />
  );
}

function TitleField() {
  const id = useId();
  const draft = useSignal<string | null>(null); // what is typed stays, whatever the project does meanwhile
  const isRefused = useSignal(false);
  const title = project.value?.title ?? "";
  const rename = async (): Promise<void> => {
    const typed = draft.value;
    if (typed === null) return;
    const wanted = typed.trim().slice(0, MAX_TITLE);
    isRefused.value = wanted === "";
    const failure =
      wanted === "" || wanted === title
        ? null
        : await edit(t("project.rename"), (before) => ({ ...before, title: wanted }));
    if (failure === null && draft.value === typed) draft.value = null;
  };
  return (
    <div class="menu-field">
      <label>
        <span>{t("project.title")}</span>
        <input
          type="text"
          autocomplete="off"
          maxLength={MAX_TITLE}
          value={draft.value ?? title}
          aria-describedby={`${id}-problem`}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
            isRefused.value = false;
          }}
          onChange={() => void rename()}
        />
      </label>
      <span id={`${id}-problem`} class="problem" role="alert">
        {isRefused.value && t("project.titleEmpty")}
      </span>
    </div>
  );
}

/** Leave only the arm, as the catalog has it; undo brings everything back. */
async function startNew(): Promise<void> {
  const here = project.peek()?.arm;
  if (here === undefined) return;
  const { name, file, tool } = here;
  const failure = await editWhole(t("project.newLabel"), () => ({
    schema: 2,
    title: t("project.untitled"),
    notes: "",
    arms: [newArm("arm", { ...plainArm(name, file), tool })],
    structure: "articulation",
    bodies: [],
    frames: [],
    positions: null,
  }));
  if (failure === null)
    say("info", t("project.emptied"), {
      key: "project/new",
      actions: [{ text: t("edit.undo"), run: undo }],
    });
}

/** Put the project of a file in the place of this one; undo brings this one back. */
export async function openFile(chosen: File): Promise<void> {
  const { name } = chosen;
  const problem = await problemWith(chosen);
  if (problem !== null) {
    say("error", problem, { key: "project/open" });
    return;
  }
  const label = t("project.openLabel", { name }).slice(0, MAX_TITLE);
  const address = `api/sessions/${encodeURIComponent(session.peek())}/project`;
  try {
    await ask(`${address}?${new URLSearchParams({ label })}`, { method: "PUT", body: chosen });
    say("good", t("project.opened", { name }), { key: "project/open" });
  } catch (reason) {
    const { message } = asFailure(reason);
    say("error", t("project.refused", { name, message }), { key: "project/open" });
  }
}

/** Return what is wrong with a file, before any of it is sent; null where it may be a project. */
async function problemWith(chosen: File): Promise<string | null> {
  const { name } = chosen;
  const isZip = (await chosen.slice(0, 4).text()) === "PK\x03\x04";
  const most = isZip ? MAX_ZIP_MB : MAX_TEXT_MB;
  if (chosen.size > most * 1e6) return t("project.tooLong", { name, most });
  if (isZip) return null;
  try {
    const value: unknown = JSON.parse(await chosen.text());
    return isProject(value) ? null : t("project.notOne", { name });
  } catch {
    return t("project.notJson", { name });
  }
}
