/** All solutions, to choose from; or, where there is none, why, and what comes nearest. */

import { useEffect, useRef } from "preact/hooks";
import { moveJoints } from "../../acts";
import { measure, number, t, unit as unitWord } from "../../i18n";
import { followSlow, live } from "../../live";
import { Card } from "../../parts/card";
import { FailureNote } from "../../parts/failure";
import { Section } from "../../parts/section";
import { Slider } from "../../parts/slider";
import type { BranchReport, RobotSheet, SolutionReport, WhyReport } from "../../protocol.gen";
import { type Posture, travelOf } from "./numbers";
import { Outside } from "./outside";
import { Bits, Joints } from "./solution-parts";
import {
  type Answer,
  answer,
  busy,
  chosen,
  failure,
  findAll,
  type Group,
  nearestOf,
  type Solved,
} from "./state";
import { branchWords } from "./words";

const NO_GAP = 5e-4;

export function Solutions({ data }: { data: RobotSheet }) {
  const found = answer.value;
  const start = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (found !== null) start.current?.closest("section")?.scrollIntoView({ block: "nearest" });
  }, [found]);
  return (
    <Section
      id="kinematics.solutions"
      title={t("kinematics.solutions")}
      help={t("kinematics.solutions.help")}
    >
      <div ref={start} aria-live="polite" aria-busy={busy.value}>
        {failure.value !== null && <FailureNote failure={failure.value} onRetry={() => void findAll()} />}
        {found === null && failure.value === null && (
          <p class="quiet">{t(busy.value ? "kinematics.asking" : "kinematics.solutions.none")}</p>
        )}
        {found !== null && found.why === null && <p class="kinematics-count">{countText(found)}</p>}
      </div>
      {found !== null && found.why === null && <List data={data} found={found} />}
      {found?.why != null && <WhyNot data={data} why={found.why} />}
      {found !== null && found.outside.length > 0 && <Outside data={data} solutions={found.outside} />}
    </Section>
  );
}

function countText({ groups }: Answer): string {
  const families = groups.filter(({ count }) => count > 1).length;
  const alone = groups.length - families;
  const texts = [
    ...(alone > 0 || families === 0 ? [t("kinematics.solutions.count", { n: alone })] : []),
    ...(families > 0 ? [t("kinematics.families.count", { n: families })] : []),
  ];
  return texts.join(", ");
}

function List({ data, found }: { data: RobotSheet; found: Answer }) {
  const { postures, groups } = found;
  const picked = postures[chosen.value ?? -1]?.solution;
  return (
    <>
      <div class="kinematics-list" role="radiogroup" aria-label={t("kinematics.solutions")}>
        {groups.map((group) => (
          <Row key={group.first} data={data} postures={postures} group={group} />
        ))}
      </div>
      <div class="row kinematics-acts">
        <button
          type="button"
          class="primary"
          disabled={picked === undefined}
          onClick={() => picked !== undefined && moveJoints(picked.q)}
        >
          {t("kinematics.go")}
        </button>
      </div>
    </>
  );
}

interface RowProps {
  readonly data: RobotSheet;
  readonly postures: readonly Posture<Solved>[];
  readonly group: Group;
}

/** One solution, or one member of a family with a slider through all of them. */
function Row({ data, postures, group }: RowProps) {
  const { first, count } = group;
  const now = chosen.value;
  const isChosen = now !== null && now >= first && now < first + count;
  const index = isChosen ? now : nearestOf(postures, group);
  const posture = postures[index];
  if (posture === undefined) return null;
  const { solution, turned } = posture;
  return (
    <div class="kinematics-row">
      <label
        class="kinematics-solution"
        data-solution={index}
        data-branch={solution.branch}
        onDblClick={() => moveJoints(solution.q)}
      >
        <input
          type="radio"
          name="kinematics-solution"
          checked={isChosen}
          onChange={() => (chosen.value = index)}
          onKeyDown={(event) => {
            if (event.key === "Enter") moveJoints(solution.q);
          }}
        />
        <span class="kinematics-branch">{branchWords(solution.branch)}</span>
        <Travel data={data} q={solution.q} />
        <Joints data={data} q={solution.q} />
        <Bits kuka={solution.kuka} />
        <Free solution={solution} />
        <Turned data={data} q={solution.q} turned={turned} />
      </label>
      {count > 1 && <Members solution={solution} at={index} group={group} />}
    </div>
  );
}

/** A slider through the samples of a family. */
function Members({ solution, at, group }: { solution: SolutionReport; at: number; group: Group }) {
  const says = (solution.free ?? [])
    .map(({ joint, value, unit }) => `${joint} ${measure(value, 1, unit)}`)
    .join(", ");
  return (
    <div class="kinematics-family" data-family={group.count}>
      <Slider
        label={t("kinematics.family")}
        value={at - group.first}
        lower={0}
        upper={group.count - 1}
        digits={0}
        says={() => says}
        onInput={(member) => (chosen.value = group.first + member)}
      />
      <span class="kinematics-member">
        {t("kinematics.family.at", { n: at - group.first + 1, count: group.count })}
      </span>
    </div>
  );
}

/** How far the joint that moves most travels from where the arm is now. */
function Travel({ data, q }: { data: RobotSheet; q: readonly number[] }) {
  followSlow();
  const { joint, size } = travelOf(q, live.q);
  const row = data.joints[joint];
  return (
    <span class="kinematics-travel" title={t("kinematics.travel.hint", { joint: row?.name ?? "" })}>
      {size < 0.05
        ? t("kinematics.travel.here")
        : t("kinematics.travel", { travel: measure(size, 1, row?.unit ?? "°") })}
    </span>
  );
}

/** The joints that the target leaves free, and how far; of a family, how densely it was sampled. */
function Free({ solution: { free } }: { solution: SolutionReport }) {
  if (free === null || free.length === 0) return null;
  return (
    <span class="kinematics-free">
      {free.map(({ joint, lower, upper, step, unit }) => {
        const values = {
          joint,
          lower: number(lower, 1),
          upper: number(upper, 1),
          step: number(step, 1),
          unit: unitWord(unit),
        };
        const isSampled = step > 0 && free.length === 1;
        return (
          <span key={joint}>{t(isSampled ? "kinematics.free.sampled" : "kinematics.free", values)}</span>
        );
      })}
    </span>
  );
}

/** The same posture with full turns more: the joints that differ. */
function Turned({
  data,
  q,
  turned,
}: {
  data: RobotSheet;
  q: readonly number[];
  turned: readonly SolutionReport[];
}) {
  if (turned.length === 0) return null;
  const values = turned.map((other) =>
    data.joints
      .map(({ name }, i) => ({
        name,
        value: other.q[i] ?? 0,
        apart: Math.abs((other.q[i] ?? 0) - (q[i] ?? 0)),
      }))
      .filter(({ apart }) => apart > 1)
      .map(({ name, value }) => `${name} ${number(value, 2)}°`)
      .join(", "),
  );
  return <span class="kinematics-turned">{t("kinematics.turned", { values: values.join("; ") })}</span>;
}

function WhyNot({ data, why }: { data: RobotSheet; why: WhyReport }) {
  const gaps = [
    why.position_gap > NO_GAP && t("kinematics.why.position", { gap: number(why.position_gap, 1) }),
    why.rotation_gap > NO_GAP && t("kinematics.why.rotation", { gap: number(why.rotation_gap, 1) }),
  ].filter((gap) => gap !== false);
  const at = [...why.nearest_xyz, ...why.nearest_abc].map((value) => number(value, 1));
  return (
    <div class="kinematics-why">
      <Card kind="warn" title={t("kinematics.why.title")}>
        <p>{t(`kinematics.why.code.${why.code}`)}</p>
      </Card>
      <Reasons branches={why.branches} data={data} />
      <h4>{t("kinematics.why.nearest")}</h4>
      <p class="kinematics-nearest">
        {["X", "Y", "Z", "A", "B", "C"].map((name, i) => (
          <span key={name}>
            <span class="kinematics-joint">{name}</span> {at[i]} {unitWord(i < 3 ? "mm" : "°")}
          </span>
        ))}
      </p>
      {gaps.map((gap) => (
        <p key={gap}>{gap}</p>
      ))}
      {why.singular && <p class="quiet">{t("kinematics.why.singular")}</p>}
      <div class="row kinematics-acts">
        <button type="button" class="primary" onClick={() => moveJoints(why.nearest_q)}>
          {t("kinematics.why.go")}
        </button>
      </div>
    </div>
  );
}

/** What prevents it, branch by branch; one line where it is the same for all. */
function Reasons({ branches, data }: { branches: readonly BranchReport[]; data: RobotSheet }) {
  if (branches.length === 0) return null;
  const isSame = branches.every(({ joint }) => joint === "");
  return (
    <>
      <h4>{t("kinematics.why.branches")}</h4>
      <ul class="kinematics-reasons">
        {isSame && branches.length > 2 ? (
          <li>
            <span class="kinematics-branch">{t("kinematics.why.all", { n: branches.length })}</span>
            <span class="kinematics-reason">{t("kinematics.why.unreached")}</span>
          </li>
        ) : (
          branches.map((branch) => (
            <li key={branch.branch}>
              <span class="kinematics-branch">{branchWords(branch.branch)}</span>
              <span class="kinematics-reason">{reasonOf(branch, data)}</span>
            </li>
          ))
        )}
      </ul>
    </>
  );
}

function reasonOf({ joint, excess }: BranchReport, data: RobotSheet): string {
  if (joint === "") return t("kinematics.why.unreached");
  const unit = data.joints.find(({ name }) => name === joint)?.unit ?? "°";
  return t("kinematics.why.limit", { joint, excess: measure(excess, 1, unit) });
}
