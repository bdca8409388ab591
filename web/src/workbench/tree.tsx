/** What is on the bench, as a tree: the arm and its links, the tool, the bodies, the saved poses. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { arms, doing, hasSeveral, selectArm, selectedArm } from "../arms";
import { armTitle } from "../arm-title";
import { robots, sheet } from "../catalog";
import { isKey, linkTitle, t } from "../i18n";
import { Icon, type IconName } from "../parts/icon";
import { layout, project } from "../project";
import type { ProjectArm } from "../protocol.gen";
import { deselect, isSelected, type Kind, select } from "../selection";
import { AddArm } from "./add-arm";
import { drawerOpen, openPanelFor, shape } from "./layout";

interface Branch {
  readonly id: string;
  readonly kind: Kind | "group" | "other";
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly below: readonly Branch[];
}

const closed = signal<ReadonlySet<string>>(new Set());
hasSeveral.subscribe((several) => toggle("arm", !several)); // all arms are in sight where there are several
/** The branch that the Tab key comes to. */
const current = signal("arm");
/** Whether an arm was selected here: its branch is another one then, and takes the focus. */
let isFocusAwaited = false;

export function Tree() {
  const list = useRef<HTMLUListElement>(null);
  const isDrawer = shape.value !== "wide";
  useEffect(() => {
    if (isDrawer && drawerOpen.value) list.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
  }, [isDrawer, drawerOpen.value]);
  const branches = branchesNow();
  const shown = branches.flatMap((branch) => [branch, ...(closed.value.has(branch.id) ? [] : branch.below)]);
  const focus = (id: string): void => {
    current.value = id;
    list.current?.querySelector<HTMLElement>(`[data-branch="${CSS.escape(id)}"]`)?.focus();
  };
  const tabbed = shown.some(({ id }) => id === current.value) ? current.value : shown[0]?.id;
  useEffect(() => {
    const { activeElement: now, body } = document;
    if (isFocusAwaited && (now === body || list.current?.contains(now) === true)) focus("arm");
    isFocusAwaited = false;
  }, [selectedArm.value]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && isDrawer) {
      event.stopPropagation(); // it closes the drawer; the next one stops the arm
      drawerOpen.value = false;
      document.querySelector<HTMLElement>("[aria-controls=tree]")?.focus();
      return;
    }
    const at = shown.findIndex((branch) => branch.id === tabbed);
    const branch = shown[at];
    if (branch === undefined || !pressed(event.key, branch, at, shown, focus)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <nav id="tree" class="tree" aria-label={t("tree.label")}>
      <ul ref={list} role="tree" aria-label={t("tree.label")} onKeyDown={press}>
        {branches.map((branch) => (
          <Item key={branch.id} branch={branch} level={1} tabbed={tabbed} focus={focus} />
        ))}
      </ul>
      <AddArm />
    </nav>
  );
}

interface ItemProps {
  readonly branch: Branch;
  readonly level: number;
  /** The branch that the Tab key comes to, where it is not gone. */
  readonly tabbed: string | undefined;
  readonly focus: (id: string) => void;
}

function Item({ branch, level, tabbed, focus }: ItemProps) {
  const { id, kind, name, title, icon, below } = branch;
  const isOpen = !closed.value.has(id);
  const isChosen = kind !== "group" && kind !== "other" && isSelected(kind, name);
  return (
    <li
      role="treeitem"
      aria-level={level}
      aria-selected={isChosen}
      aria-expanded={below.length > 0 ? isOpen : undefined}
      aria-current={kind === "arm" && hasSeveral.value ? "true" : undefined}
      tabIndex={tabbed === id ? 0 : -1}
      data-branch={id}
      data-current={kind === "arm" && hasSeveral.value}
      onClick={(event) => {
        event.stopPropagation();
        focus(id);
        choose(branch);
      }}
      onDblClick={(event) => {
        event.stopPropagation();
        enter(branch);
      }}
    >
      <span class="branch">
        {below.length > 0 ? (
          <span
            class="twig"
            data-open={isOpen}
            onClick={(event) => {
              event.stopPropagation();
              toggle(id);
            }}
          >
            <Icon name="chevron" />
          </span>
        ) : (
          <span class="twig" />
        )}
        <Icon name={icon} />
        <span class="branch-title" title={title}>
          {title}
        </span>
        {kind === "group" && <span class="branch-count">{below.length}</span>}
        {kind === "other" && <Doing name={name} />}
      </span>
      {below.length > 0 && isOpen && (
        <ul role="group">
          {below.map((child) => (
            <Item key={child.id} branch={child} level={level + 1} tabbed={tabbed} focus={focus} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What an arm does that is not selected. */
function Doing({ name }: { name: string }) {
  const what = doing(name);
  return what === "still" ? null : (
    <span class="branch-doing" data-doing={what}>
      {t(`arms.${what}`)}
    </span>
  );
}

/** Return what an arm is called: its name in the scene before its title, where there are several. */
function titleOf({ name, arm }: ProjectArm): string {
  const row =
    arm.name === sheet.value?.name ? sheet.value : robots.value?.find((one) => one.name === arm.name);
  const title = row === undefined ? arm.name : armTitle(row);
  return hasSeveral.value ? `${name} · ${title}` : title;
}

function branchesNow(): readonly Branch[] {
  const made = project.value;
  const names = layout.value;
  if (made === null || names === null) return [];
  const leaf = (kind: Kind, name: string, title: string, icon: IconName): Branch => ({
    id: `${kind}/${name}`,
    kind,
    name,
    title,
    icon,
    below: [],
  });
  const links = names.links.slice(0, -1).map((name) => leaf("link", name, linkTitle(name), "link"));
  const group = (id: string, icon: IconName, below: readonly Branch[]): Branch[] =>
    below.length === 0 ? [] : [{ id, kind: "group", name: "", title: t(`tree.${id}`), icon, below }];
  const tool = made.arm.tool === "none" ? t("tree.flange") : toolTitle(made.arm.tool);
  const ownArms = arms.value.flatMap((arm): Branch[] => {
    const title = titleOf(arm);
    if (arm.name !== made.arm_name)
      return [{ id: `other/${arm.name}`, kind: "other", name: arm.name, title, icon: "arm", below: [] }];
    return [{ ...leaf("arm", "", title, "arm"), id: "arm", below: links }, leaf("tool", "", tool, "tool")];
  });
  return [
    ...ownArms,
    ...group(
      "bodies",
      "scene",
      made.bodies.map((body) => leaf("body", body.name, body.name, "body")),
    ),
    ...group(
      "frames",
      "kinematics",
      made.frames.map((frame) => leaf("frame", frame.id, frame.name, "kinematics")),
    ),
    ...group(
      "poses",
      "pose",
      made.poses.map((pose) => leaf("pose", pose.id, pose.name, "pose")),
    ),
  ];
}

function toolTitle(name: string): string {
  return isKey(`arm.tool.${name}`) ? t(`arm.tool.${name}`) : name;
}

function choose({ id, kind, name }: Branch): void {
  if (kind === "group") toggle(id);
  else if (kind === "other") selectOther(name);
  else if (isSelected(kind, name)) deselect();
  else select(kind, name);
}

/** A double click, or Enter: show more about it; a saved pose is gone to. */
function enter({ kind, name }: Branch): void {
  if (kind === "group") return;
  if (kind === "other") {
    selectOther(name);
    return;
  }
  select(kind, name);
  const pose = kind === "pose" ? project.value?.poses.find((kept) => kept.id === name) : undefined;
  if (pose !== undefined) void import("../panels/poses/attached").then(({ goTo }) => goTo(pose));
  openPanelFor(kind);
}

function selectOther(name: string): void {
  isFocusAwaited = true;
  selectArm(name);
}

function toggle(id: string, isOpen = closed.value.has(id)): void {
  const next = new Set(closed.value);
  if (isOpen) next.delete(id);
  else next.add(id);
  closed.value = next;
}

/** Do what a key means on a branch; return whether it means something. */
function pressed(
  key: string,
  branch: Branch,
  at: number,
  shown: readonly Branch[],
  focus: (id: string) => void,
): boolean {
  const go = (to: number): void => {
    const next = shown[Math.min(Math.max(to, 0), shown.length - 1)];
    if (next !== undefined) focus(next.id);
  };
  const parent = shown.findLastIndex((other, i) => i < at && other.below.includes(branch));
  const isOpen = branch.below.length > 0 && !closed.value.has(branch.id);
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Home: () => go(0),
    End: () => go(shown.length - 1),
    ArrowRight: () => (isOpen ? go(at + 1) : toggle(branch.id, true)),
    ArrowLeft: () => (isOpen ? toggle(branch.id, false) : parent >= 0 && go(parent)),
    " ": () => choose(branch),
    Enter: () => enter(branch),
  };
  const act = acts[key];
  act?.();
  return act !== undefined;
}
