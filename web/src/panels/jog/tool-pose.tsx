/** Where the tool is: x y z in millimetres, A B C in degrees; a typed value sends it there. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n";
import { followSlow, live } from "../../live";
import { NumberField } from "../../parts/number-field";
import { ReferenceSelect } from "../../parts/reference-select";
import { type Pose, toolPose } from "../../poses";
import { inReference, inWorld, reference } from "../../reference";
import { DragTool } from "./drag-tool";
import { sendTool, toolFrom } from "./moving";
import { replaced, TOOL_AXES } from "./steps";
import "./tool-pose.css";

const LIMIT_MM = 100_000;
const LIMIT_DEG = 360;

export function ToolPose() {
  followSlow();
  const problem = useSignal<string | null>(null);
  const here = toolPose(live.frames);
  const pose = here === null ? null : inReference(here);
  return (
    <section class="tool-pose" aria-labelledby="tool-heading">
      <div class="tool-head">
        <h3 id="tool-heading" title={t("jog.tool.hint")}>
          {reference.value === null
            ? t("jog.tool.heading")
            : t("frames.toolIn", { name: reference.value.name })}
        </h3>
        <ReferenceSelect />
        <DragTool />
      </div>
      <div class="pose" title={t("jog.tool.hint")}>
        {TOOL_AXES.map((name, i) => (
          <PoseField
            key={name}
            name={name}
            index={i}
            pose={pose}
            onProblem={(text) => (problem.value = text)}
          />
        ))}
      </div>
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </section>
  );
}

interface PoseFieldProps {
  readonly name: string;
  readonly index: number;
  readonly pose: Pose | null;
  readonly onProblem: (problem: string | null) => void;
}

function PoseField({ name, index, pose, onProblem }: PoseFieldProps) {
  const isLength = index < 3;
  const limit = isLength ? LIMIT_MM : LIMIT_DEG;
  const move = (to: number): void => {
    const from = toolFrom();
    if (from !== null) sendTool(inWorld(replaced(inReference(from), index, to)));
  };
  return (
    <div
      class="pose-field"
      data-axis={isLength ? name.toLowerCase() : "turn"}
      data-pose={name}
      data-value={pose?.[index]}
    >
      <span class="pose-name" aria-hidden="true">
        {name}
      </span>
      <NumberField
        bare
        label={t("jog.tool.field", { name })}
        value={pose?.[index] ?? null}
        unit={isLength ? "mm" : "°"}
        lower={-limit}
        upper={limit}
        disabled={pose === null}
        onCommit={move}
        onProblem={onProblem}
      />
    </div>
  );
}
