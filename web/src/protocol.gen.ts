// Written by tools/protocol.py from the Python models; change those, then run it again.

/** The arm on the bench: one of the catalog, perhaps with other lengths, limits, tool or base. */
export interface ArmChoice {
  readonly name: string;
  readonly tool: string;
  readonly base: readonly [number, number, number, number, number, number];
  readonly dh: readonly DhValues[] | null;
  readonly limits: readonly Range[] | null;
}

/** An arm of the scene: which one, where it stands, what it holds, and how it starts. */
export interface ArmTable {
  readonly name: string | null;
  readonly arm: string;
  readonly tool: string | null;
  readonly xyz: readonly [number, number, number] | null;
  readonly rpy: readonly [number, number, number] | null;
  readonly q: readonly number[] | null;
  readonly pose: string | null;
}

/** A thing of the scene: where it is, what it is made of, and what it weighs if it is loose. */
export interface BodyTable {
  readonly mass: number | null;
  readonly com: readonly [number, number, number];
  readonly inertia: readonly [number, number, number, number, number, number] | null;
  readonly name: string;
  readonly kind: "box" | "cylinder" | "sphere" | "loft" | "hull" | "mesh" | "table" | "bin" | "conveyor" | "compound" | "fixture";
  readonly size: readonly number[] | null;
  readonly points: readonly (readonly [number, number, number])[] | null;
  readonly shape: readonly PartTable[] | null;
  readonly file: string | null;
  readonly scale: number | null;
  readonly parts: number | null;
  readonly speed: number | null;
  readonly belt: readonly [number, number, number] | null;
  readonly xyz: readonly [number, number, number];
  readonly rpy: readonly [number, number, number];
  readonly friction: number | null;
  readonly colour: string | null;
}

/** What kills one branch; `joint` and `excess` (° or mm) where it is a limit. */
export interface BranchReport {
  readonly branch: string;
  readonly sentence: string;
  readonly joint: string;
  readonly excess: number;
}

/** The numbers of all formulas at one pose: mm, and turns without unit; `determinant` and `singular` in mm too. */
export interface DerivationNumbers {
  readonly q: readonly number[];
  readonly links: readonly (readonly (readonly number[])[])[];
  readonly products: readonly (readonly (readonly number[])[])[];
  readonly tool: readonly (readonly number[])[];
  readonly jacobian: readonly (readonly number[])[];
  readonly determinant: number | null;
  readonly singular: readonly number[];
}

/** The derivation of an arm, to be typeset by the page. */
export interface DerivationPage {
  readonly robot: string;
  readonly sections: readonly FormulaSection[];
}

/** One row of a Denavit-Hartenberg table: mm and degrees; the joint value adds to theta or to d. */
export interface DhRow {
  readonly joint: string;
  readonly theta: number;
  readonly d: number;
  readonly a: number;
  readonly alpha: number;
}

/** One row of a standard Denavit-Hartenberg table: degrees and mm. */
export interface DhValues {
  readonly theta: number;
  readonly d: number;
  readonly a: number;
  readonly alpha: number;
}

/** The project as it is now; sent on connecting and after each change. */
export interface Document {
  readonly type: "document";
  readonly project: Project;
  readonly revision: number;
  readonly layout: Layout;
  readonly undo: string | null;
  readonly redo: string | null;
}

/** The answer to `move_tool`: whether the pose can be reached on this branch, and why not. */
export interface Dragged {
  readonly type: "dragged";
  readonly sequence: number;
  readonly reached: boolean;
  readonly code: string;
  readonly sentence: string;
}

/** Put another project in the place of this one; `label` is what undo will say. */
export interface Edit {
  readonly type: "edit";
  readonly project: Project;
  readonly label: string;
  readonly revision: number;
  readonly joins?: boolean;
}

/** Why there is no answer: a code for programs, a sentence for people, and its facts as values. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details: { readonly [key in string]: unknown };
}

/** A command that could not be done: which one, a code, and a sentence. */
export interface Failed {
  readonly type: "failed";
  readonly command: string;
  readonly code: string;
  readonly message: string;
  readonly step: number | null;
}

/** One thing that a check noticed; `where` has the place in SI units. */
export interface FindingReport {
  readonly level: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly where: { readonly [key in string]: number | string };
}

/** Where the tool is: mm, degrees (KUKA's A B C), quaternion w x y z, 4×4 matrix with mm in the last column. */
export interface FkReport {
  readonly robot: string;
  readonly q: readonly number[];
  readonly xyz: readonly [number, number, number];
  readonly abc: readonly [number, number, number];
  readonly quaternion: readonly [number, number, number, number];
  readonly matrix: readonly (readonly number[])[];
  readonly frames: readonly FrameReport[] | null;
}

/** A part of a section: words, equations as LaTeX lines, or a table of cells; words may hold LaTeX in dollars. Symbols of a joint are marked with `\htmlData{link=2 3}{…}`: the places of their links in the layout's list. */
export interface FormulaItem {
  readonly title: string;
  readonly text: string;
  readonly latex: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly string[];
  readonly live: string;
}

/** A section of the derivation. */
export interface FormulaSection {
  readonly id: string;
  readonly title: string;
  readonly items: readonly FormulaItem[];
}

/** One frame in world coordinates. */
export interface FrameReport {
  readonly name: string;
  readonly xyz: readonly [number, number, number];
  readonly quaternion: readonly [number, number, number, number];
}

/** A joint that may move from `lower` to `upper` without moving the tool, degrees. */
export interface FreeJointReport {
  readonly joint: string;
  readonly lower: number;
  readonly upper: number;
}

/** What the tool holds, or None. */
export interface Holding {
  readonly type: "holding";
  readonly body: string | null;
}

/** The answer of inverse kinematics: one solution, or all of them. */
export interface IkReport {
  readonly converged: boolean;
  readonly reason: string;
  readonly solutions: readonly SolutionReport[];
}

/** Move joints as long as this is repeated: shares of their jog speed, one per joint. */
export interface JogJoints {
  readonly type: "jog_joints";
  readonly shares: readonly number[];
  readonly sequence: number;
}

/** Move the tool as long as this is repeated: shares of jog speed along x y z and about x y z of a frame. */
export interface JogTool {
  readonly type: "jog_tool";
  readonly shares: readonly [number, number, number, number, number, number];
  readonly frame: "base" | "tool";
  readonly sequence: number;
}

/** How close a joint comes to its limits, in its own unit (`°` or `mm`) per s, s², s³; shares are of the limits. */
export interface JointPeak {
  readonly joint: string;
  readonly unit: string;
  readonly start: number;
  readonly end: number;
  readonly velocity: number;
  readonly velocity_share: number;
  readonly acceleration: number;
  readonly acceleration_share: number;
  readonly jerk: number;
  readonly jerk_share: number;
}

/** A motion of the joints through points: S2's four-point planner, and the player between kept poses. */
export interface JointPlan {
  readonly kind: "joint";
  readonly points: readonly (readonly number[])[];
  readonly scheme: string;
  readonly times: readonly number[] | null;
  readonly speed: number;
}

/** One joint: `unit` is `°` or `mm`, and holds for every value of the row (velocity per s, acceleration per s²). */
export interface JointRow {
  readonly name: string;
  readonly kind: string;
  readonly unit: string;
  readonly lower: number;
  readonly upper: number;
  readonly velocity: number | null;
  readonly acceleration: number | null;
  readonly effort: number | null;
  readonly home: number;
}

/** Joint values that were kept, under a name. */
export interface KeptPose {
  readonly id: string;
  readonly name: string;
  readonly q: readonly number[];
}

/** What the numbers of a `state` frame belong to: it changes with the project's revision. */
export interface Layout {
  readonly joints: readonly string[];
  readonly links: readonly string[];
  readonly bodies: readonly string[];
}

/** One step of what is played: when, and its text. */
export interface Leg {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly text: string;
}

/** One link: its mass in kg, its centre of mass in its own frame, mm. */
export interface LinkRow {
  readonly name: string;
  readonly mass: number;
  readonly com: readonly [number, number, number];
}

/** Go to joint values, within the limits of speed, acceleration and jerk. */
export interface MoveJoints {
  readonly type: "move_joints";
  readonly q: readonly number[];
}

/** A motion to joint values (`to`), to a pose (`to_pose`), or through frames (`through`). */
export interface MoveStep {
  readonly do: "move";
  readonly to: readonly number[] | string | null;
  readonly to_pose: readonly [number, number, number, number, number, number] | null;
  readonly through: readonly (readonly [number, number, number, number, number, number])[] | null;
  readonly via: readonly (readonly number[])[];
  readonly arc: readonly [number, number, number] | null;
  readonly path: "joint" | "line" | "quadratic" | "bspline" | "spline";
  readonly scheme: string | null;
  readonly times: readonly number[] | null;
  readonly blend: number;
  readonly speed: number;
  readonly tool_speed: number | null;
  readonly task: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara";
  readonly note: string;
}

/** Go to a pose of the tool on the branch that the arm is on; a `sequence` is answered with `dragged`. */
export interface MoveTool {
  readonly type: "move_tool";
  readonly pose: readonly [number, number, number, number, number, number];
  readonly sequence: number;
}

/** Joint values under a name, in the joints' units. */
export interface NamedPose {
  readonly name: string;
  readonly q: readonly number[];
}

/** What a session starts with; without a project, the first arm of the catalog, and without joint values its home. Joint values that the arm has not, or not within its limits, count for nothing, or as far as the limits go. */
export interface NewSession {
  readonly project?: Project | null;
  readonly q?: readonly number[] | null;
}

/** Something happened that nobody asked for: a code for the page's own words, and its facts. */
export interface Notice {
  readonly type: "notice";
  readonly code: string;
  readonly facts: { readonly [key in string]: string | number };
}

/** One convex solid of a compound body or fixture (mm). */
export interface PartTable {
  readonly kind: "box" | "cylinder" | "sphere" | "loft" | "hull";
  readonly size: readonly number[] | null;
  readonly points: readonly (readonly [number, number, number])[] | null;
  readonly xyz: readonly [number, number, number];
  readonly rpy: readonly [number, number, number];
}

/** Hold the player where it is. */
export interface Pause {
  readonly type: "pause";
}

/** Take hold of a body; without a name, of the nearest. */
export interface Pick {
  readonly type: "pick";
  readonly body?: string | null;
}

/** Take hold of a body of the scene; left out: the nearest to the tool. */
export interface PickStep {
  readonly do: "pick";
  readonly body: string | null;
  readonly note: string;
}

/** Let go of what is held. */
export interface Place {
  readonly type: "place";
}

/** Let go of what is held. */
export interface PlaceStep {
  readonly do: "place";
  readonly note: string;
}

/** A plan to be made but not played, and how densely it is told (s). */
export interface PlanQuestion {
  readonly plan: JointPlan | ToolPlan;
  readonly step?: number;
}

/** A planned motion as arrays at a chosen step: s, and ° or mm by joint. */
export interface PlanReport {
  readonly robot: string;
  readonly tool: string;
  readonly scheme: string;
  readonly path: string;
  readonly branch: string | null;
  readonly duration: number;
  readonly step: number;
  readonly t: readonly number[];
  readonly q: readonly (readonly number[])[];
  readonly qd: readonly (readonly number[])[];
  readonly qdd: readonly (readonly number[])[];
  readonly tool_speed: readonly number[];
  readonly peaks: readonly JointPeak[];
  readonly tool_peak: ToolPeak;
  readonly findings: readonly FindingReport[];
}

/** Play what was made: the plan, the kept poses one after the other, the scenario, or what was recorded. */
export interface Play {
  readonly type: "play";
  readonly what: "plan" | "poses" | "scenario" | "recording";
  readonly loop?: boolean;
}

/** What the player holds: its name, its length, its legs, the tool's way (mm), and what the check found. */
export interface PlayerReport {
  readonly type: "player";
  readonly what: "none" | "plan" | "poses" | "scenario" | "recording";
  readonly duration: number;
  readonly legs: readonly Leg[];
  readonly path: readonly (readonly [number, number, number])[];
  readonly t: readonly number[];
  readonly q: readonly (readonly number[])[];
  readonly qd: readonly (readonly number[])[];
  readonly qdd: readonly (readonly number[])[];
  readonly findings: readonly FindingReport[];
}

/** A pose that the tool shall have, and how much of it matters. */
export interface PoseQuestion {
  readonly pose: readonly [number, number, number, number, number, number];
  readonly task?: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara";
}

/** The whole document. */
export interface Project {
  readonly schema: 1;
  readonly title: string;
  readonly notes: string;
  readonly arm: ArmChoice;
  readonly structure: "hierarchy" | "joints" | "articulation";
  readonly bodies: readonly BodyTable[];
  readonly poses: readonly KeptPose[];
  readonly plan: JointPlan | ToolPlan | null;
  readonly scenario: ScenarioFile | null;
}

/** From where to where a joint may move, in its own unit. */
export interface Range {
  readonly lower: number;
  readonly upper: number;
}

/** Start or end a recording. */
export interface Record {
  readonly type: "record";
  readonly on: boolean;
}

/** Take the last undo back. */
export interface Redo {
  readonly type: "redo";
}

/** Put everything back to its start: bodies where the project says, the arm at home. */
export interface ResetSimulation {
  readonly type: "reset_simulation";
}

/** Let the player go on. */
export interface Resume {
  readonly type: "resume";
}

/** One line of the list of robots. */
export interface RobotRow {
  readonly name: string;
  readonly title: string;
  readonly maker: string;
  readonly dof: number;
  readonly reach: number;
  readonly source: string;
}

/** Everything about one robot. */
export interface RobotSheet {
  readonly name: string;
  readonly title: string;
  readonly maker: string;
  readonly dof: number;
  readonly reach: number;
  readonly source: string;
  readonly payload: number | null;
  readonly mass: number;
  readonly notes: string;
  readonly estimated: readonly string[];
  readonly tool: string;
  readonly joints: readonly JointRow[];
  readonly links: readonly LinkRow[];
  readonly dh_standard: readonly DhRow[];
  readonly dh_modified: readonly DhRow[];
  readonly poses: readonly NamedPose[];
}

/** What a scenario would do: how long it takes (s), and what was found; `where` has the step, from 1. */
export interface ScenarioCheck {
  readonly duration: number;
  readonly findings: readonly FindingReport[];
}

/** A scenario, and a whole project in which it can be played at once. */
export interface ScenarioContent {
  readonly scenario: ScenarioFile;
  readonly project: Project;
}

/** A whole scenario: the arm, what stands round it, and what happens. */
export interface ScenarioFile {
  readonly schema: 1;
  readonly name: string;
  readonly title: string;
  readonly notes: string;
  readonly arm: string | null;
  readonly tool: string | null;
  readonly scene: string | null;
  readonly start: readonly number[] | string;
  readonly steps: readonly (MoveStep | PickStep | PlaceStep | WaitStep | StopStep)[];
}

/** One line of the list of scenarios. */
export interface ScenarioRow {
  readonly name: string;
  readonly title: string;
  readonly notes: string;
  readonly steps: number;
}

/** A scene as parts of a project: its first arm if it has one, and all bodies as convex shapes. */
export interface SceneContent {
  readonly name: string;
  readonly title: string;
  readonly arm: ArmChoice | null;
  readonly bodies: readonly BodyTable[];
}

/** One line of the list of scenes. */
export interface SceneRow {
  readonly name: string;
  readonly title: string;
  readonly notes: string;
  readonly bodies: number;
  readonly arm: string | null;
}

/** A whole scene file. */
export interface SceneTable {
  readonly schema: 1;
  readonly name: string;
  readonly title: string | null;
  readonly source: string | null;
  readonly notes: string | null;
  readonly gravity: readonly [number, number, number] | null;
  readonly robot: readonly ArmTable[];
  readonly body: readonly BodyTable[];
}

/** Put the player at a time (s), and hold it there. */
export interface Seek {
  readonly type: "seek";
  readonly time: number;
}

/** A session: its name, and the revision of its project. */
export interface SessionReport {
  readonly session: string;
  readonly revision: number;
}

/** Whether the player begins again at its end: off, this round is its last. */
export interface SetLoop {
  readonly type: "set_loop";
  readonly on: boolean;
}

/** How fast the player runs: 1 is as planned. */
export interface SetPace {
  readonly type: "set_pace";
  readonly pace: number;
}

/** One solution: joint values (° and mm), branch, what is left of an error (mm and °). */
export interface SolutionReport {
  readonly q: readonly number[];
  readonly branch: string;
  readonly position_error: number;
  readonly rotation_error: number;
  readonly free: FreeJointReport | null;
}

/** All solutions for a pose; `why` says why there is none. */
export interface SolutionsReport {
  readonly ik: IkReport;
  readonly why: WhyReport | null;
}

/** Play one step of the scenario, then hold. */
export interface StepOn {
  readonly type: "step_on";
}

/** One step that was tried: joint values (° or mm), ‖e‖ in mm, ‖Jᵀe‖, λ, ‖Δθ‖ in rad (m where joints slide). */
export interface StepRow {
  readonly q: readonly number[];
  readonly error: number;
  readonly gradient: number;
  readonly damping: number;
  readonly step: number;
  readonly accepted: boolean;
}

/** The same by Levenberg and Marquardt's method from a start; left out, from where the arm is. */
export interface StepsQuestion {
  readonly pose: readonly [number, number, number, number, number, number];
  readonly task?: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara";
  readonly start?: readonly number[] | null;
  readonly damping?: number;
  readonly steps?: number;
}

/** Levenberg and Marquardt's method step by step, and why it ended: error, step, gradient or steps. */
export interface StepsReport {
  readonly steps: readonly StepRow[];
  readonly q: readonly number[];
  readonly error: number;
  readonly position_error: number;
  readonly rotation_error: number;
  readonly converged: boolean;
  readonly stop: string;
}

/** Stop moving now, as fast as the limits allow. */
export interface Stop {
  readonly type: "stop";
}

/** End the scenario here, whatever follows. */
export interface StopStep {
  readonly do: "stop";
  readonly note: string;
}

/** The fastest the tool gets: mm/s and °/s. */
export interface ToolPeak {
  readonly speed: number;
  readonly turn_speed: number;
}

/** A motion of the tool through node frames: S2's Cartesian planner. */
export interface ToolPlan {
  readonly kind: "tool";
  readonly frames: readonly (readonly [number, number, number, number, number, number])[];
  readonly path: "linear" | "quadratic" | "bspline" | "spline";
  readonly blend: number;
  readonly speed: number;
  readonly tool_speed: number | null;
}

/** Two parts that touch or come near: names, distance (mm, negative inside), and the two points (mm). */
export interface Touch {
  readonly first: string;
  readonly second: string;
  readonly distance: number;
  readonly p_first: readonly [number, number, number];
  readonly p_second: readonly [number, number, number];
}

/** The nearest pairs, and those that touch; sent when they change. */
export interface Touches {
  readonly type: "touches";
  readonly nearest: readonly Touch[];
  readonly contacts: readonly Touch[];
}

/** Go back by one edit. */
export interface Undo {
  readonly type: "undo";
}

/** Which armlab is answering. */
export interface VersionReport {
  readonly version: string;
}

/** Stand still. */
export interface WaitStep {
  readonly do: "wait";
  readonly seconds: number;
  readonly note: string;
}

/** The first event on a socket: which session this is, and how many pages look at it. */
export interface Welcome {
  readonly type: "welcome";
  readonly session: string;
  readonly version: string;
  readonly pages: number;
}

/** Why a target cannot be reached, and what comes nearest: joint values, pose, and gaps in mm and °. */
export interface WhyReport {
  readonly reachable: boolean;
  readonly code: string;
  readonly summary: string;
  readonly branches: readonly BranchReport[];
  readonly nearest_q: readonly number[];
  readonly nearest_xyz: readonly [number, number, number];
  readonly nearest_abc: readonly [number, number, number];
  readonly position_gap: number;
  readonly rotation_gap: number;
  readonly singular: boolean;
}

export type Command =
  | Edit
  | Undo
  | Redo
  | JogJoints
  | JogTool
  | MoveJoints
  | MoveTool
  | Stop
  | Play
  | Pause
  | Resume
  | Seek
  | StepOn
  | SetPace
  | SetLoop
  | Pick
  | Place
  | Record
  | ResetSimulation;

export type Event =
  | Document
  | Welcome
  | Dragged
  | PlayerReport
  | Touches
  | Holding
  | Notice
  | Failed;
