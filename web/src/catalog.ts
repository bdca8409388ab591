/** The arms to choose from, and the sheet and shape of the one on the bench. */

import { otherArms } from "./arms";
import { batch, computed, effect, signal } from "@preact/signals";
import { asFailure, type Failure, fetchRobots, fetchSessionSheet, fetchShape } from "./api";
import { t } from "./i18n";
import { latestWins } from "./latest";
import { doc, edit, project, withArm } from "./project";
import type { ArmChoice, BodyTable, RobotRow, RobotSheet } from "./protocol.gen";
import { session } from "./session";
import { link } from "./wire";

export const robots = signal<readonly RobotRow[] | null>(null);
export const robotsFailure = signal<Failure | null>(null);
/** All numbers of the arm on the bench, as the project has changed them. */
export const sheet = signal<RobotSheet | null>(null);
export const sheetFailure = signal<Failure | null>(null);

/** A shape of the session, and of which revision's arm or bodies. */
export interface Shape {
  readonly key: string;
  readonly names: readonly string[];
  readonly glb: ArrayBuffer;
}
export const armShape = signal<Shape | null>(null);
export const bodyShapes = signal<Shape | null>(null);
/** The shapes of the arms that are not selected, by their names in the scene. */
export const otherShapes = signal<ReadonlyMap<string, Shape>>(new Map());
export const shapeFailure = signal<Failure | null>(null);

interface Question {
  readonly session: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** Changes when the arm's numbers or shape may have changed. */
const armKey = computed(() => keyOf(project.value?.arm ?? null));
/** Changes when a body's shape may have changed; where it stands does not matter. */
const bodiesKey = computed(() => keyOf(project.value?.bodies.map(shapeOnly) ?? null));

const sheetAsker = latestWins(
  (question: Question) => fetchSessionSheet(question.session),
  (answer) => {
    batch(() => {
      sheet.value = answer;
      sheetFailure.value = null;
    });
  },
  (reason) => (sheetFailure.value = asFailure(reason)),
);
const shapeAsker = (what: "model" | "bodies", target: { value: Shape | null }) =>
  latestWins(
    (question: Question) => fetchShape(question.session, what),
    (glb, { key, names }) => {
      batch(() => {
        target.value = { key, names, glb };
        shapeFailure.value = null;
      });
    },
    (reason) => (shapeFailure.value = asFailure(reason)),
  );
const modelAsker = shapeAsker("model", armShape);
const bodiesAsker = shapeAsker("bodies", bodyShapes);

/** Load the list, and keep sheet and shapes in step with the session. */
export function startCatalog(): void {
  effect(() => {
    if (link.value === "open" && robots.value === null) void loadRobots();
  });
  effect(() => {
    const question = { session: session.value, key: armKey.value, names: doc.peek()?.layout.links ?? [] };
    if (question.session === "" || question.key === "null" || link.value !== "open") return;
    sheetAsker.ask(question);
    modelAsker.ask(question);
  });
  effect(() => {
    const question = { session: session.value, key: bodiesKey.value, names: doc.peek()?.layout.bodies ?? [] };
    if (question.session === "" || question.key === "null" || link.value !== "open") return;
    if (question.names.length === 0) {
      bodiesAsker.forget();
      bodyShapes.value = null;
    } else bodiesAsker.ask(question);
  });
  effect(followOthers);
}

/** Keep the shapes of the arms that are not selected: what was fetched once is not asked for again. */
function followOthers(): void {
  const name = session.value;
  if (project.value === null || name === "" || link.value !== "open") return;
  const known = otherShapes.peek();
  const kept = otherArms.value.flatMap((other) => {
    const shape = known.get(other.name);
    return shape?.key === keyOf(other.arm) ? [[other.name, shape] as const] : [];
  });
  if (kept.length !== known.size) otherShapes.value = new Map(kept);
  const missing = otherArms.value.filter((other) => !otherShapes.peek().has(other.name));
  for (const other of missing) void loadOther(name, other.name, keyOf(other.arm));
}

async function loadOther(of: string, name: string, key: string): Promise<void> {
  const names = doc.peek()?.layout.others.find((other) => other.name === name)?.links ?? [];
  try {
    const glb = await fetchShape(of, "model", name);
    const now = otherArms.peek().find((other) => other.name === name);
    if (now !== undefined && keyOf(now.arm) === key)
      otherShapes.value = new Map([...otherShapes.peek(), [name, { key, names, glb }]]);
  } catch (reason) {
    const isThere = otherArms.peek().some((other) => other.name === name);
    if (isThere) shapeFailure.value = asFailure(reason);
  }
}

export async function loadRobots(): Promise<void> {
  try {
    robots.value = await fetchRobots();
    robotsFailure.value = null;
  } catch (reason) {
    robotsFailure.value = asFailure(reason);
  }
}

/** Put another arm of the catalog on the bench. */
export function chooseArm(name: string): Promise<Failure | null> {
  const row = robots.peek()?.find((candidate) => candidate.name === name);
  const label = t("edit.arm", { name: row?.title ?? name });
  return edit(label, (before) => (before.arm.name === name ? before : withArm(before, name, row?.dof ?? 0)));
}

export function keyOf(value: ArmChoice | readonly unknown[] | null): string {
  return JSON.stringify(value);
}

function shapeOnly({
  name,
  kind,
  size,
  points,
  shape,
  file,
  scale,
  parts,
  colour,
}: BodyTable): readonly unknown[] {
  return [name, kind, size, points, shape, file, scale, parts, colour];
}
