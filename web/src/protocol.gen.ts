// Written by tools/protocol.py from the Python models; change those, then run it again.

/** An Allan deviation: averaging times (s), and per time the deviations of x, y and z (°/s or µg). */
export interface AllanCurveReport {
  readonly tau: readonly number[];
  readonly deviation: readonly (readonly number[])[];
  readonly found: NoiseReport;
  readonly stated: NoiseReport | null;
}

/** The Allan deviations of a sensor at rest. */
export interface AllanReport {
  readonly name: string;
  readonly rate: number;
  readonly duration: number;
  readonly source: string;
  readonly gyroscope: AllanCurveReport;
  readonly accelerometer: AllanCurveReport;
  readonly findings: readonly FindingReport[];
}

/** The arm: one of the catalog, or one that was brought, perhaps with other lengths, limits, tool or base. */
export interface ArmChoice {
  readonly name: string;
  readonly file: string | null;
  readonly tool: string;
  readonly tcp: readonly [number, number, number, number, number, number] | null;
  readonly payload: PayloadChoice | null;
  readonly base: readonly [number, number, number, number, number, number];
  readonly dh: readonly DhValues[] | null;
  readonly limits: readonly Range[] | null;
}

/** Where an arm stood, and what its tool held. */
export interface ArmPosition {
  readonly q: readonly number[];
  readonly held: string | null;
}

/** An arm of the scene: which one, where it stands, what it holds, and how it starts. */
export interface ArmTable {
  readonly name: string | null;
  readonly arm: string;
  readonly tool: string | null;
  readonly xyz: readonly [number, number, number] | null;
  readonly rpy: readonly [number, number, number] | null;
  readonly q: readonly number[] | null;
  readonly configuration: string | null;
}

/** A file that is kept: what documents call it, and its bytes. */
export interface AssetReport {
  readonly asset: string;
  readonly size: number;
}

/** The object that a pose moves with, and T_object_tool as X Y Z A B C (mm, degrees). */
export interface Attachment {
  readonly body: string;
  readonly pose: readonly [number, number, number, number, number, number];
}

/** A body of the scene: where it is, what it is made of, and what it weighs if it is loose. */
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
  readonly push: readonly PushTable[];
}

/** Where the tool point goes: its lowest and highest coordinates, mm. */
export interface BoxReport {
  readonly lower: readonly [number, number, number];
  readonly upper: readonly [number, number, number];
}

/** What rules one branch out, as a sentence with its code; `joint` and `excess` (° or mm) where it is a limit. */
export interface BranchReport {
  readonly branch: string;
  readonly code: MessageCode;
  readonly sentence: string;
  readonly parameters: { readonly [key in string]: unknown };
  readonly joint: string;
  readonly excess: number;
}

/** A calibration, and its result when it is done. */
export interface CalibrationJob {
  readonly id: number;
  readonly state: "none" | "running" | "done" | "failed";
  readonly share: number;
  readonly step: string | null;
  readonly failure: ErrorBody | null;
  readonly source: string;
  readonly result: CalibrationReport | null;
}

/** What measurements say about an arm; lengths mm, angles °. */
export interface CalibrationReport {
  readonly robot: string;
  readonly model: string;
  readonly measurements: number;
  readonly before: ErrorReport;
  readonly after: ErrorReport;
  readonly cross_validation: ErrorReport | null;
  readonly position_noise: number;
  readonly rotation_noise: number | null;
  readonly outliers: readonly number[];
  readonly directions: number;
  readonly parameters: readonly ParameterReport[];
  readonly correlations: readonly CorrelationReport[];
  readonly errors_before: readonly number[];
  readonly errors_after: readonly number[];
  readonly map: ResidualMapReport | null;
}

/** A fault that was considered; its score is the logarithm of a likelihood ratio. */
export interface CandidateReport {
  readonly cause: string;
  readonly title: string;
  readonly joint: string | null;
  readonly score: number;
}

/** One chain that the file has. */
export interface ChainReport {
  readonly base: string;
  readonly tip: string;
  readonly dof: number;
}

/** What has changed of the document since the last revision. */
export interface Changed {
  readonly type: "changed";
  readonly changes: readonly (SetValue | Splice)[];
  readonly revision: number;
  readonly layout: Layout | null;
  readonly selected: string;
  readonly undo: string | null;
  readonly redo: string | null;
}

/** A diagnosis, and its result when it is done. */
export interface ClinicJob {
  readonly id: number;
  readonly state: "none" | "running" | "done" | "failed";
  readonly share: number;
  readonly step: string | null;
  readonly failure: ErrorBody | null;
  readonly source: string;
  readonly result: DiagnosisReport | null;
  readonly injected: InjectedFault | null;
}

/** Why there is no comparison. */
export interface ComparisonFailure {
  readonly code: MessageCode;
  readonly message: string;
}

/** The whole comparison, to be drawn and played back. */
export interface ComparisonPage {
  readonly robot: string;
  readonly duration: number;
  readonly timestep: number;
  readonly structures: readonly StructureCurves[];
}

/** A line of the answer: the share that is done, and last the result or why there is none. */
export interface ComparisonProgress {
  readonly share: number;
  readonly result: ComparisonPage | null;
  readonly failure: ComparisonFailure | null;
}

/** What the arm is told in all three structures, and how it is built there. The command is the project's plan, a motion from home and back, or a step: a joint (from 1 on) is told a value `by` more (° or mm). Stiffness, damping, force limit and mass are factors, friction is a share of the force limit. */
export interface ComparisonQuestion {
  readonly command?: "plan" | "standard" | "step";
  readonly joint?: number;
  readonly by?: number;
  readonly duration?: number;
  readonly timestep?: number;
  readonly stiffness?: number;
  readonly damping?: number;
  readonly force_limit?: number;
  readonly mass?: number;
  readonly friction?: number;
}

/** A word, and what it does. */
export interface ConsoleHelpReport {
  readonly word: string;
  readonly help: string;
}

/** A line of the console: it is carried out from where the arm stands, and the arm follows. */
export interface ConsoleLine {
  readonly arm?: string | null;
  readonly type: "console_line";
  readonly language: "krl" | "gcode" | "python";
  readonly line: string;
  readonly inputs?: { readonly [key in string]: boolean };
}

/** What a line of the console did. */
export interface ConsoleReply {
  readonly type: "console";
  readonly arm: string;
  readonly report: ConsoleReport;
}

/** One statement or command of a console. */
export interface ConsoleReport {
  readonly line: number;
  readonly text: string;
  readonly outcome: "done" | "more" | "stopped" | "failed" | "quit";
  readonly motions: number;
  readonly seconds: number;
  readonly time: number;
  readonly end: ToolEnd;
  readonly outputs: { readonly [key in string]: boolean | number };
  readonly findings: readonly ProgramFinding[];
  readonly messages: readonly string[];
  readonly values: readonly ConsoleValueReport[];
  readonly help: readonly ConsoleHelpReport[];
  readonly notes: readonly string[];
  readonly stopped_at: PlaceReport | null;
  readonly read_to: PlaceReport | null;
  readonly stack: readonly string[];
}

/** A value that was asked for. */
export interface ConsoleValueReport {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly value: unknown;
}

/** Two parameters that the measurements can hardly tell apart. */
export interface CorrelationReport {
  readonly first: string;
  readonly second: string;
  readonly correlation: number;
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
export interface DhReportRow {
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

/** What a recording says of an arm; `cause` is null where nothing was found. */
export interface DiagnosisReport {
  readonly robot: string;
  readonly healthy: boolean;
  readonly cause: string | null;
  readonly title: string;
  readonly joint: string | null;
  readonly since: number | null;
  readonly noticed: number | null;
  readonly score: number;
  readonly size: number | null;
  readonly size_sigma: number | null;
  readonly unit: string;
  readonly evidence: string;
  readonly life: LifeReport | null;
  readonly healthy_until: number;
  readonly unseen: readonly string[];
  readonly candidates: readonly CandidateReport[];
  readonly findings: readonly FindingReport[];
}

/** The project as it is now; sent on connecting. */
export interface Document {
  readonly type: "document";
  readonly project: Project;
  readonly revision: number;
  readonly layout: Layout;
  readonly selected: string;
  readonly undo: string | null;
  readonly redo: string | null;
}

/** The answer to `move_tool`: whether the pose can be reached on this branch, and why not. */
export interface Dragged {
  readonly message: string;
  readonly type: "dragged";
  readonly arm: string;
  readonly sequence: number;
  readonly reached: boolean;
  readonly code: MessageCode;
  readonly parameters: { readonly [key in string]: unknown };
}

/** A real arm drawn within tolerances; the same seed gives the same arm. */
export interface DrawnReal {
  readonly kind: "drawn";
  readonly tolerance: "iso" | "industrial" | "hobby";
  readonly seed: number;
}

/** Errors of navigation by one sensor since it was switched on, and what all sensors can see of the joints. */
export interface DriftReport {
  readonly t: readonly number[];
  readonly filters: readonly FilterDrift[];
  readonly joints: readonly JointVisibility[];
}

/** Change the project, with all that is said or not at all; `label` is what undo will say. */
export interface Edit {
  readonly type: "edit";
  readonly changes: readonly (SetValue | Splice)[];
  readonly label: string;
  readonly revision: number;
  readonly coalesce?: boolean;
}

/** How fast the tool point can go in each direction when all joint speeds together are 1 rad/s. The half axes are unit vectors in world coordinates with their lengths in mm/s, the longest first. */
export interface EllipsoidReport {
  readonly centre: readonly [number, number, number];
  readonly axes: readonly (readonly [number, number, number])[];
  readonly radii: readonly [number, number, number];
}

/** What stands behind `?token=` in a link that lets one more browser in, once. */
export interface EntryToken {
  readonly token: string;
}

/** Why there is no answer: a code for programs, a text in the reader's language, and its parameters as values. */
export interface ErrorBody {
  readonly code: MessageCode;
  readonly message: string;
  readonly parameters: { readonly [key in string]: unknown };
}

/** Position errors of measurements, mm. */
export interface ErrorReport {
  readonly mean: number;
  readonly max: number;
  readonly rms: number;
}

/** A command that could not be done: which one, and why. */
export interface Failed {
  readonly message: string;
  readonly type: "failed";
  readonly command: string;
  readonly arm: string | null;
  readonly step: number | null;
  readonly line: number | null;
  readonly code: MessageCode;
  readonly parameters: { readonly [key in string]: unknown };
}

/** A real arm from the text of a file (TOML), as `armlab calibrate` writes it. */
export interface FileReal {
  readonly kind: "file";
  readonly text: string;
}

/** How far one filter is off over time: orientation (°), and position (mm) where it knows one. */
export interface FilterDrift {
  readonly filter: string;
  readonly orientation: readonly number[];
  readonly position: readonly number[] | null;
}

/** One thing that a check noticed: `parameters` are those of the message; `where` has the place in SI units. */
export interface FindingReport {
  readonly severity: "error" | "warning" | "note";
  readonly code: MessageCode;
  readonly message: string;
  readonly parameters: { readonly [key in string]: unknown };
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

/** A joint without a value of its own: `multiplier` times that of the joint that it follows, plus `offset`. */
export interface FollowerRow {
  readonly name: string;
  readonly follows: string;
  readonly multiplier: number;
  readonly offset: number;
  readonly unit: string;
}

/** What one arm is told, by its name in the scene; without one, the arm that the pages show. */
export interface ForArm {
  readonly arm?: string | null;
}

/** What is told of what an arm plays. */
export interface ForPlayer {
  readonly arm?: string | null;
}

/** A part of a section: words, equations as LaTeX lines, or a table of cells; words may hold LaTeX in dollars. A dollar of a name has a backslash before it. Symbols of a joint are marked with `\htmlData{link=2 3}{…}`: the places of their links in the layout's list. */
export interface FormulaItem {
  readonly title: string;
  readonly text: string;
  readonly latex: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly string[];
  readonly numbers: readonly string[];
  readonly live: string;
}

/** A length of the arm as a formula names it, mm. */
export interface FormulaLength {
  readonly name: string;
  readonly value: number;
}

/** What can be asked about an arm, and the names that its formulas may use. */
export interface FormulaNames {
  readonly quantities: readonly string[];
  readonly lengths: readonly FormulaLength[];
  readonly known: readonly string[];
}

/** A formula, and the quantity that it is for: x, r11, J23, det, phi. */
export interface FormulaQuestion {
  readonly quantity: string;
  readonly text: string;
}

/** Whether a formula is right; where not, joint values (° and mm) with both numbers (mm, rad). */
export interface FormulaReport {
  readonly right: boolean;
  readonly code: MessageCode;
  readonly message: string;
  readonly parameters: { readonly [key in string]: unknown };
  readonly counter_example: { readonly [key in string]: number } | null;
  readonly yours: number | null;
  readonly expected: number | null;
}

/** A section of the derivation. */
export interface FormulaSection {
  readonly id: string;
  readonly title: string;
  readonly items: readonly FormulaItem[];
}

/** A frame in the world or in an object's frame: X Y Z A B C, mm and degrees. */
export interface FramePose {
  readonly pose: readonly [number, number, number, number, number, number];
}

/** One frame in world coordinates. */
export interface FrameReport {
  readonly name: string;
  readonly xyz: readonly [number, number, number];
  readonly quaternion: readonly [number, number, number, number];
}

/** A joint that the target leaves free: its value in the solution and the interval of the continuum, ° or mm. `step` is 0 where the ends are exact, otherwise how far apart the values are at which the continuum was looked at. */
export interface FreeJointReport {
  readonly joint: string;
  readonly unit: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly step: number;
}

/** A path that is proved free: its points in ° or mm by joint, and what is proved. */
export interface FreeReport {
  readonly points: readonly (readonly number[])[];
  readonly clearance: number;
  readonly seed: number;
  readonly samples: number;
  readonly motions: number;
  readonly unchecked: readonly UncheckedPair[];
}

/** How whole the description was, 0 to 100, and its five parts, 0 to 20 each. */
export interface HealthReport {
  readonly score: number;
  readonly geometry: number;
  readonly limits: number;
  readonly inertias: number;
  readonly meshes: number;
  readonly collision: number;
}

/** What the tool of an arm holds, or None. */
export interface Holding {
  readonly type: "holding";
  readonly arm: string;
  readonly body: string | null;
  readonly jaw: number | null;
}

/** The answer of inverse kinematics: one solution, or all of them; `code` and `parameters` are the reason's. */
export interface IkReport {
  readonly converged: boolean;
  readonly code: MessageCode;
  readonly reason: string;
  readonly parameters: { readonly [key in string]: unknown };
  readonly solutions: readonly SolutionReport[];
}

/** An arm that somebody brought: what was read and repaired, and the arm as a project holds it. */
export interface ImportContent {
  readonly report: ImportReport;
  readonly row: RobotRow;
  readonly arm: ArmChoice;
}

/** What was read, from what, and everything that was guessed or repaired. */
export interface ImportReport {
  readonly kind: "toml" | "urdf" | "xacro" | "sdf" | "mjcf" | "dh" | "cad";
  readonly file: string;
  readonly robot: string;
  readonly dof: number;
  readonly chains: readonly ChainReport[];
  readonly health: HealthReport;
  readonly findings: readonly FindingReport[];
  readonly dh: readonly DhReportRow[];
  readonly dh_error: number;
}

/** A minute of work to be simulated, with a fault or without; what is left out is drawn. */
export interface InjectQuestion {
  readonly fault: "backlash" | "gear_wear" | "belt_slip" | "stuck_servo" | "weak_servo" | "encoder_jump" | "loose_tool" | "wrong_payload" | "imu_bias" | null;
  readonly joint: string | null;
  readonly onset: number | null;
  readonly seed: number;
}

/** What was wrong with a simulated minute. */
export interface InjectedFault {
  readonly cause: string;
  readonly title: string;
  readonly joint: string | null;
  readonly onset: number;
}

/** Move joints as long as this is repeated: shares of their jog speed, one per joint. */
export interface JogJoints {
  readonly arm?: string | null;
  readonly stops?: number;
  readonly type: "jog_joints";
  readonly shares: readonly number[];
  readonly sequence: number;
}

/** Move the tool as long as this is repeated: shares of jog speed along x y z and about x y z of a frame. The axes are those of the arm's base, of the tool, or of a reference: a user frame by its id, else the world. */
export interface JogTool {
  readonly arm?: string | null;
  readonly stops?: number;
  readonly type: "jog_tool";
  readonly shares: readonly [number, number, number, number, number, number];
  readonly frame: "base" | "tool" | "reference";
  readonly reference?: string | null;
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

/** A motion of the joints through points: S2's four-point planner, and the player between saved poses. */
export interface JointPlan {
  readonly kind: "joint";
  readonly points: readonly (readonly number[])[];
  readonly scheme: string;
  readonly times: readonly number[] | null;
  readonly duration: number | null;
  readonly ends: PlanEnds | null;
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
  readonly axis: readonly [number, number, number];
}

/** What the sensors can tell of a joint, 0 to 1: its angle at rest, its speed while it moves. */
export interface JointVisibility {
  readonly joint: string;
  readonly at_rest: number;
  readonly moving: number;
}

/** What the numbers of a `state` frame belong to: it changes with the project's revision. */
export interface Layout {
  readonly joints: readonly string[];
  readonly links: readonly string[];
  readonly bodies: readonly string[];
  readonly others: readonly OtherLayout[];
}

/** Which page moves an arm, by its number; None: the arm is free. */
export interface Lease {
  readonly type: "lease";
  readonly arm: string;
  readonly holder: number | null;
}

/** How long (s of the same work) until a limit, at least and at most; `high` is null where growth may be nothing. */
export interface LifeReport {
  readonly low: number;
  readonly high: number | null;
  readonly level: number;
  readonly limit: number;
  readonly unit: string;
  readonly assumptions: string;
}

/** How long the arm moves because of a line of the program (s), and how often the line was carried out. */
export interface LineTimeReport {
  readonly line: number;
  readonly time: number;
  readonly count: number;
  readonly file: string;
}

/** One link: its mass in kg, its centre of mass in its own frame, mm. */
export interface LinkRow {
  readonly name: string;
  readonly mass: number;
  readonly com: readonly [number, number, number];
}

/** What the tool carries: kg, mm in the tool frame; its inertia is estimated as a solid ball's. */
export interface LoadReport {
  readonly mass: number;
  readonly com: readonly [number, number, number];
  readonly inertia: number;
  readonly radius: number;
  readonly density: number;
}

/** A measurement to be simulated on the real arm, and what is to be found from it; `noise` in mm. */
export interface MeasureQuestion {
  readonly poses: number;
  readonly noise: number;
  readonly seed: number;
  readonly model: "auto" | "offsets" | "geometry" | "elastic" | "full";
}

/** A message to a person: its stable code, its text, and its parameters as plain values. */
export interface MessageEvent {
  readonly message: string;
  readonly code: MessageCode;
  readonly parameters: { readonly [key in string]: unknown };
}

/** A tool on an arm: its frame in the flange's as X Y Z A B C, as it is and as the catalog has it. */
export interface MountedToolReport {
  readonly robot: string;
  readonly tool: string;
  readonly tcp: readonly [number, number, number, number, number, number];
  readonly own_tcp: readonly [number, number, number, number, number, number];
  readonly mass: number;
  readonly com: readonly [number, number, number];
  readonly payload: LoadReport | null;
  readonly carried: number;
  readonly rated: number | null;
}

/** Move the named joints to their targets, by index from 0; the others keep the targets that they have. */
export interface MoveJoints {
  readonly arm?: string | null;
  readonly stops?: number;
  readonly type: "move_joints";
  readonly revision: number;
  readonly targets: { readonly [key in string]: number };
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
  readonly duration: number | null;
  readonly task: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara";
  readonly note: string;
}

/** Go to a pose of the tool on the branch that the arm is on; a `sequence` is answered with `dragged`. */
export interface MoveTool {
  readonly arm?: string | null;
  readonly stops?: number;
  readonly type: "move_tool";
  readonly pose: readonly [number, number, number, number, number, number];
  readonly sequence: number;
}

/** Joint values under a name, in the joints' units. */
export interface NamedConfiguration {
  readonly name: string;
  readonly q: readonly number[];
}

/** What one filter made of a record; `rmse` only where the record has the truth. */
export interface NavigationReport {
  readonly filter: string;
  readonly rmse: RmseReport | null;
  readonly position_error: number | null;
  readonly position_deviation: number | null;
  readonly samples: number;
  readonly duration: number;
  readonly end: readonly [number, number, number, number];
  readonly findings: readonly FindingReport[];
}

/** The nearest singularity that was found: of what kind, how far in joint space (°), and where. */
export interface NearSingularity {
  readonly kind: string;
  readonly distance: number;
  readonly q: readonly number[];
}

/** What a session starts with; without a project, the first arm of the catalog. */
export interface NewSession {
  readonly project?: Project | null;
}

/** The noise of a triad, mean of its axes: °/s/√Hz, °/h, °/s·√Hz (gyroscope), µg/√Hz, µg, µg·√Hz (accelerometer). */
export interface NoiseReport {
  readonly noise_density: number;
  readonly bias_instability: number;
  readonly random_walk: number;
}

/** Something happened that nobody asked for, to one arm or to all. */
export interface Notice {
  readonly message: string;
  readonly type: "notice";
  readonly arm: string | null;
  readonly code: MessageCode;
  readonly parameters: { readonly [key in string]: unknown };
}

/** What the numbers of an arm belong to that is not the selected one. */
export interface OtherLayout {
  readonly name: string;
  readonly joints: readonly string[];
  readonly links: readonly string[];
}

/** A solution that only the joint limits rule out, and the joints that are past them. */
export interface OutsideReport {
  readonly q: readonly number[];
  readonly branch: string;
  readonly past: readonly PastLimit[];
  readonly kuka: StatusTurn | null;
}

/** An arm that carries more than it is rated for, or a joint whose drive is saturated or that does not follow. */
export interface OverloadWarning {
  readonly message: string;
  readonly arm: string;
  readonly joint: string | null;
  readonly link: string | null;
  readonly code: MessageCode;
  readonly parameters: { readonly [key in string]: unknown };
}

/** All that overloads the arms at the moment; sent when it changes. */
export interface Overloads {
  readonly type: "overloads";
  readonly warnings: readonly OverloadWarning[];
}

/** Two parts of an arm that collision checks leave out: "adjacent", "excluded" by whose word, or "never meet". */
export interface PairRow {
  readonly first: string;
  readonly second: string;
  readonly reason: string;
  readonly said: string;
}

/** An experiment of a paper as a whole project, the panel to open with it, what is played, and its plots. Where there are no plots, the panel itself shows what happens. */
export interface PaperContent {
  readonly panel: string;
  readonly project: Project;
  readonly plays: "plan" | "poses" | "scenario" | "program";
  readonly plots: PlotSetup | null;
}

/** One experiment of a paper: `panel` is where it is looked at. */
export interface PaperRow {
  readonly name: string;
  readonly paper: string;
  readonly title: string;
  readonly panel: string;
}

/** One parameter of the arm, with its standard deviation and 95 % bounds; none where it cannot be found. */
export interface ParameterReport {
  readonly name: string;
  readonly value: number;
  readonly sigma: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly identifiable: boolean;
  readonly unit: string;
}

/** One convex solid of a compound body or fixture (mm). */
export interface PartTable {
  readonly kind: "box" | "cylinder" | "sphere" | "loft" | "hull";
  readonly size: readonly number[] | null;
  readonly points: readonly (readonly [number, number, number])[] | null;
  readonly xyz: readonly [number, number, number];
  readonly rpy: readonly [number, number, number];
}

/** A joint that would have to be past its limits, ° or mm. */
export interface PastLimit {
  readonly joint: string;
  readonly unit: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** Hold the player where it is. */
export interface PausePlayer {
  readonly arm?: string | null;
  readonly type: "pause";
}

/** What the tool carries besides its own weight: kg, and the centre of mass in the tool frame (mm). */
export interface PayloadChoice {
  readonly mass: number;
  readonly com: readonly [number, number, number];
}

/** Take hold of a body; without a name, of the nearest. */
export interface PickObject {
  readonly arm?: string | null;
  readonly type: "pick";
  readonly body?: string | null;
}

/** Take hold of a body of the scene; left out: the nearest to the tool. */
export interface PickStep {
  readonly do: "pick";
  readonly body: string | null;
  readonly note: string;
}

/** A statement: its file and line. */
export interface PlaceReport {
  readonly file: string;
  readonly line: number;
}

/** Let go of what is held. */
export interface PlaceStep {
  readonly do: "place";
  readonly note: string;
}

/** How a motion of the joints starts and ends, where it does not rest there: in the joints' units per s and s². */
export interface PlanEnds {
  readonly start_velocity: readonly number[] | null;
  readonly end_velocity: readonly number[] | null;
  readonly start_acceleration: readonly number[] | null;
  readonly end_acceleration: readonly number[] | null;
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
  readonly free: FreeReport | null;
}

/** Play what was made: the plan, the saved poses in their order, the scenario, the program, or what was recorded. */
export interface Play {
  readonly arm?: string | null;
  readonly type: "play";
  readonly what: "plan" | "poses" | "scenario" | "recording" | "program";
  readonly loop?: boolean;
  readonly anyway?: boolean;
}

/** Where the program is that is played: its line, its values, and what it waits for. */
export interface PlayerProgress {
  readonly type: "progress";
  readonly arm: string;
  readonly line: number | null;
  readonly step: number | null;
  readonly waits: readonly string[] | null;
  readonly outputs: { readonly [key in string]: boolean | number };
  readonly variables: { readonly [key in string]: boolean | number };
  readonly is_over: boolean;
}

/** What the player holds: its name, its length, its segments, the tool's path (mm), and what the check found. Of a program they are told as its preview grows; without an end, they are of one pass of its endless loop. */
export interface PlayerReport {
  readonly type: "player";
  readonly arm: string;
  readonly what: "none" | "plan" | "poses" | "scenario" | "recording" | "program" | "console";
  readonly number: number;
  readonly duration: number;
  readonly ending: "known" | "open" | "never" | "waits";
  readonly segments: readonly PlayerSegment[];
  readonly path: readonly (readonly [number, number, number])[];
  readonly t: readonly number[];
  readonly q: readonly (readonly number[])[];
  readonly qd: readonly (readonly number[])[];
  readonly qdd: readonly (readonly number[])[];
  readonly findings: readonly FindingReport[];
}

/** One step of what is played: when, and its text. */
export interface PlayerSegment {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly text: string;
  readonly line: number | null;
}

/** What the plots show of an experiment, and over how many seconds. */
export interface PlotSetup {
  readonly quantity: "q" | "xyz" | "gap";
  readonly seconds: "5" | "15" | "60";
}

/** The joint values of a saved pose, in the joints' units. */
export interface PoseJoints {
  readonly q: readonly number[];
}

/** A target pose of the tool, and how much of it must be met; left out, what the arm's kind can be asked for. */
export interface PoseQuestion {
  readonly pose: readonly [number, number, number, number, number, number];
  readonly task?: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara" | null;
}

/** A sensor that can be bought, and where its numbers are from. */
export interface PresetReport {
  readonly name: string;
  readonly source: string;
}

/** What is repeated as long as somebody holds or drags something; a stop ends it until it is begun again. */
export interface Press {
  readonly arm?: string | null;
  readonly stops?: number;
}

/** A program that was checked. */
export interface ProgramCheckReport {
  readonly program: string;
  readonly language: "gcode" | "krl" | "scenario" | "python";
  readonly robot: string | null;
  readonly findings: readonly ProgramFinding[];
  readonly motions: number;
  readonly cycle_time: number | null;
  readonly lines: readonly LineTimeReport[];
  readonly box: BoxReport | null;
  readonly reach: number | null;
  readonly left_out: number;
  readonly real: RealPathReport | null;
}

/** A program that comes with armlab. */
export interface ProgramExample {
  readonly name: string;
  readonly language: "gcode" | "krl" | "python";
  readonly text: string;
}

/** One thing that was found, with its place in the text; file, line and column are None where it has none. */
export interface ProgramFinding {
  readonly severity: "error" | "warning" | "note";
  readonly code: MessageCode;
  readonly message: string;
  readonly parameters: { readonly [key in string]: unknown };
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly time: number | null;
}

/** Where the tool goes because of a line, mm in the world; `rapid` where it goes at the arm's own speed. */
export interface ProgramPath {
  readonly line: number | null;
  readonly rapid: boolean;
  readonly points: readonly (readonly [number, number, number])[];
}

/** A program that was run. */
export interface ProgramRunReport {
  readonly program: string;
  readonly language: "gcode" | "krl" | "scenario" | "python";
  readonly robot: string;
  readonly structure: string;
  readonly motions: number;
  readonly duration: number;
  readonly tracking_rms: number;
  readonly tracking_max: number;
  readonly messages: readonly string[];
  readonly outputs: { readonly [key in string]: boolean | number };
  readonly end: ToolEnd;
  readonly findings: readonly ProgramFinding[];
}

/** A program as it was written. */
export interface ProgramText {
  readonly language: "gcode" | "krl" | "python" | "scenario";
  readonly text: string;
  readonly dialect: "linuxcnc" | "grbl" | "marlin" | "reprap" | "fanuc";
  readonly inputs: { readonly [key in string]: boolean };
}

/** What is wrong with a program's text, how long it takes (s), and where the tool goes. */
export interface ProgramTextCheck {
  readonly findings: readonly ProgramFinding[];
  readonly left_out: number;
  readonly motions: number;
  readonly duration: number;
  readonly lines: readonly LineTimeReport[];
  readonly paths: readonly ProgramPath[];
  readonly said: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A program in another language. */
export interface ProgramTranslation {
  readonly report: TranslationReport;
}

/** A word of a language, and a line of help. */
export interface ProgramWord {
  readonly word: string;
  readonly help: string;
}

/** The whole document. */
export interface Project {
  readonly schema: 2;
  readonly title: string;
  readonly notes: string;
  readonly arms: readonly ProjectArm[];
  readonly structure: "hierarchy" | "joints" | "articulation";
  readonly bodies: readonly BodyTable[];
  readonly frames: readonly UserFrame[];
  readonly positions: SavedPositions | null;
}

/** One arm of the scene, with all that is its own; no arm is special. */
export interface ProjectArm {
  readonly name: string;
  readonly arm: ArmChoice;
  readonly poses: readonly SavedPose[];
  readonly plan: JointPlan | ToolPlan | null;
  readonly scenario: ScenarioFile | null;
  readonly sensors: readonly SensorChoice[];
  readonly program: ProgramText | null;
  readonly real: DrawnReal | FileReal | null;
}

/** The nearest pairs, and those that touch; sent when they change. */
export interface Proximity {
  readonly type: "proximity";
  readonly nearest: readonly ProximityPair[];
  readonly contacts: readonly ProximityPair[];
}

/** Two parts that touch or come near: names, distance (mm, negative inside), and the two points (mm). */
export interface ProximityPair {
  readonly first: string;
  readonly second: string;
  readonly distance: number;
  readonly p_first: readonly [number, number, number];
  readonly p_second: readonly [number, number, number];
}

/** A force (N) and a torque (N m, both in the world's axes) on a loose body, from `start` to `end` (s). */
export interface PushTable {
  readonly force: readonly [number, number, number];
  readonly torque: readonly [number, number, number];
  readonly start: number;
  readonly end: number | null;
  readonly until_rate: number | null;
}

/** From where to where a joint may move, in its own unit. */
export interface Range {
  readonly lower: number;
  readonly upper: number;
}

/** How far work on the real arm is. */
export interface RealJob {
  readonly id: number;
  readonly state: "none" | "running" | "done" | "failed";
  readonly share: number;
  readonly step: string | null;
  readonly failure: ErrorBody | null;
  readonly source: string;
}

/** How far a real arm's tool is from the path that is meant, mm: as programmed, and with compensated targets. */
export interface RealPathReport {
  readonly mean_before: number;
  readonly max_before: number;
  readonly mean_after: number;
  readonly max_after: number;
}

/** Where the real arm is beside the nominal one: mm and degrees, as they are; `frames` enlarged. */
export interface RealPose {
  readonly source: string;
  readonly distance: number;
  readonly shift: readonly [number, number, number];
  readonly turn: number;
  readonly frames: readonly number[];
}

/** Start or end a recording. */
export interface Record {
  readonly type: "record";
  readonly on: boolean;
}

/** The recording of an arm: whether it runs, since when (s of the session), and where its file is. */
export interface RecordingReport {
  readonly type: "recording";
  readonly arm: string;
  readonly is_running: boolean;
  readonly started: number | null;
  readonly duration: number | null;
  readonly name: string | null;
  readonly path: string | null;
}

/** One line of the list of recordings: its file's name, arm, start, size (bytes) and length (s). */
export interface RecordingRow {
  readonly name: string;
  readonly robot: string;
  readonly started: string;
  readonly size: number;
  readonly duration: number | null;
}

/** Take the last undo back. */
export interface Redo {
  readonly type: "redo";
}

/** Let go of what is held. */
export interface ReleaseObject {
  readonly arm?: string | null;
  readonly type: "place";
}

/** Put everything back to its start: bodies where the project says, the arm at home. */
export interface ResetSimulation {
  readonly type: "reset_simulation";
}

/** Errors over the workspace: where the nominal tool is, and how far off before and after, mm. */
export interface ResidualMapReport {
  readonly points: readonly (readonly [number, number, number])[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Let the player go on. */
export interface ResumePlayer {
  readonly arm?: string | null;
  readonly type: "resume";
}

/** Root mean square errors in degrees. */
export interface RmseReport {
  readonly heading: number;
  readonly inclination: number;
  readonly total: number;
}

/** One line of the list of robots. */
export interface RobotRow {
  readonly name: string;
  readonly title: string;
  readonly maker: string;
  readonly dof: number;
  readonly reach: number;
  readonly wrist_reach: number | null;
  readonly source: string;
}

/** Everything about one robot. */
export interface RobotSheet {
  readonly name: string;
  readonly title: string;
  readonly maker: string;
  readonly dof: number;
  readonly reach: number;
  readonly wrist_reach: number | null;
  readonly source: string;
  readonly payload: number | null;
  readonly mass: number;
  readonly notes: string;
  readonly estimated: readonly string[];
  readonly tool: string;
  readonly task: string;
  readonly joints: readonly JointRow[];
  readonly followers: readonly FollowerRow[];
  readonly links: readonly LinkRow[];
  readonly dh_standard: readonly DhReportRow[];
  readonly dh_modified: readonly DhReportRow[];
  readonly configurations: readonly NamedConfiguration[];
  readonly pairs: readonly PairRow[];
}

/** Play to the next time that a line of the program begins, or to a breakpoint before it, then hold. */
export interface RunToLine {
  readonly arm?: string | null;
  readonly type: "run_to_line";
  readonly line: number;
}

/** Joint values saved under a name. One that is attached is resolved when it is used: the tool goes to where it was on the object, wherever that is now; the joint values choose among the solutions. */
export interface SavedPose {
  readonly id: string;
  readonly name: string;
  readonly q: readonly number[];
  readonly on: Attachment | null;
}

/** Where the arms, by name, and the movable bodies stood when a project was saved, and what the tools held. */
export interface SavedPositions {
  readonly arms: { readonly [key in string]: ArmPosition };
  readonly bodies: { readonly [key in string]: readonly [number, number, number, number, number, number] };
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

/** A scene as parts of a project: its arms, and all bodies as convex shapes. */
export interface SceneContent {
  readonly name: string;
  readonly title: string;
  readonly arms: readonly ProjectArm[];
  readonly bodies: readonly BodyTable[];
}

/** One line of the list of scenes. */
export interface SceneRow {
  readonly name: string;
  readonly title: string;
  readonly notes: string;
  readonly bodies: number;
  readonly arm: string | null;
  readonly arms: number;
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
  readonly arm?: string | null;
  readonly type: "seek";
  readonly time: number;
}

/** Let another arm of the scene be the selected one, for all pages; what the arms do goes on. */
export interface SelectArm {
  readonly type: "select_arm";
  readonly name: string;
}

/** Sensors that were simulated along a scenario or program, and the files that they were written to. */
export interface SenseReport {
  readonly scenario: string;
  readonly duration: number;
  readonly sensors: readonly SensedReport[];
  readonly files: readonly string[];
  readonly findings: readonly FindingReport[];
}

/** One sensor that was simulated. */
export interface SensedReport {
  readonly name: string;
  readonly kind: string;
  readonly link: string;
  readonly rate: number;
  readonly latency: number;
  readonly seed: number;
  readonly samples: number;
  readonly preset: string;
}

/** A sensor on a link of the arm, on its tool, or on a body, or one of its joints or flange. */
export interface SensorChoice {
  readonly id: string;
  readonly kind: "imu" | "encoders" | "torques" | "wrench" | "laser" | "proximity" | "contact";
  readonly on: "link" | "body";
  readonly link: string;
  readonly preset: string;
  readonly pose: readonly [number, number, number, number, number, number];
  readonly rate: number;
  readonly latency: number | null;
  readonly noise: number;
  readonly seed: number | null;
}

/** A session: its name, and the revision of its project. */
export interface SessionReport {
  readonly session: string;
  readonly revision: number;
}

/** At which lines of its program the player holds, now and when it is played again. */
export interface SetBreakpoints {
  readonly arm?: string | null;
  readonly type: "set_breakpoints";
  readonly lines: readonly number[];
}

/** Tell this page from now on in another language; for the page that sends it only. */
export interface SetLanguage {
  readonly type: "set_language";
  readonly language: "en" | "ru" | "uk";
}

/** Whether the player starts over at its end: off, this round is its last. */
export interface SetLoop {
  readonly arm?: string | null;
  readonly type: "set_loop";
  readonly on: boolean;
}

/** How fast the player runs: 1 is as planned. */
export interface SetRate {
  readonly arm?: string | null;
  readonly type: "set_rate";
  readonly rate: number;
}

/** Put another value at a place; the empty path is the whole document. */
export interface SetValue {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Tell this page the whole document once more: it has missed a change. */
export interface ShowDocument {
  readonly type: "show_document";
}

/** Play one step of the scenario or one statement of the program, then hold. A statement is stepped into, over, or out of the routine that it stands in; "back" goes to where the last one began. */
export interface SingleStep {
  readonly arm?: string | null;
  readonly type: "single_step";
  readonly how?: "into" | "over" | "out" | "back";
}

/** Measures of the scaled Jacobian at a pose, and the ellipsoid of the tool's velocities. */
export interface SingularityReport {
  readonly q: readonly number[];
  readonly manipulability: number;
  readonly condition: number | null;
  readonly smallest: number;
  readonly singular: boolean;
  readonly ellipsoid: EllipsoidReport;
  readonly kuka: StatusTurn | null;
  readonly kinds: readonly string[] | null;
  readonly nearest: NearSingularity | null;
}

/** One solution: joint values (° and mm), branch, what is left of an error (mm and °). */
export interface SolutionReport {
  readonly q: readonly number[];
  readonly branch: string;
  readonly position_error: number;
  readonly rotation_error: number;
  readonly free: readonly FreeJointReport[] | null;
}

/** All solutions for a pose; `why` says why there is none. */
export interface SolutionsReport {
  readonly ik: IkReport;
  readonly why: WhyReport | null;
  readonly kuka: readonly StatusTurn[] | null;
  readonly outside: readonly OutsideReport[];
}

/** In a list or text, remove `remove` items or letters from `at` on, and insert others there. */
export interface Splice {
  readonly path: readonly (string | number)[];
  readonly at: number;
  readonly remove: number;
  readonly insert: string | readonly unknown[];
}

/** Where Levenberg and Marquardt's method ends for a grid of starts; rows go up, columns to the right. */
export interface StartMapReport {
  readonly joints: readonly [number, number];
  readonly across: readonly number[];
  readonly up: readonly number[];
  readonly solution: readonly (readonly number[])[];
  readonly steps: readonly (readonly number[])[];
  readonly solutions: readonly StartSolution[];
  readonly is_continuum: boolean;
  readonly start: readonly number[];
}

/** A solution that some starts end in: joint values (° or mm), its branch, and how many cells. */
export interface StartSolution {
  readonly q: readonly number[];
  readonly branch: string;
  readonly cells: number;
}

/** The same from every start of a grid: two joints, by index, are varied over their limits. */
export interface StartsQuestion {
  readonly pose: readonly [number, number, number, number, number, number];
  readonly task?: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara" | null;
  readonly start?: readonly number[] | null;
  readonly damping?: number;
  readonly tolerance?: number;
  readonly steps?: number;
  readonly shrink?: number;
  readonly grow?: number;
  readonly joints?: readonly [number, number];
  readonly cells?: number;
}

/** KUKA's S (status) and T (turn) of joint values. */
export interface StatusTurn {
  readonly status: number;
  readonly turn: number;
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
  readonly task?: "pose" | "position" | "approach" | "planar" | "planar-pose" | "scara" | null;
  readonly start?: readonly number[] | null;
  readonly damping?: number;
  readonly tolerance?: number;
  readonly steps?: number;
  readonly shrink?: number;
  readonly grow?: number;
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

/** Stop moving now, as fast as the limits allow: every arm, or one by its name in the scene. What is held or dragged in any page is void after that; a `release` only ends a press of the page's own. */
export interface StopMotion {
  readonly type: "stop";
  readonly arm?: string | null;
  readonly release?: boolean;
}

/** End the scenario here, whatever follows. */
export interface StopStep {
  readonly do: "stop";
  readonly note: string;
}

/** Somebody has stopped every arm, or one by its name: who, and how many stops there were. */
export interface Stopped {
  readonly type: "stopped";
  readonly stops: number;
  readonly arm: string | null;
  readonly by: "this_page" | "other_page" | "server";
}

/** One structure over time: a row for each time, up to where it diverged. */
export interface StructureCurves {
  readonly structure: string;
  readonly summary: StructureReport;
  readonly t: readonly number[];
  readonly tool_error: readonly number[];
  readonly gap: readonly number[];
  readonly energy: readonly number[] | null;
  readonly us_per_step: readonly number[];
  readonly frames: readonly (readonly number[])[];
}

/** What one structure did: lengths mm, energies J, times µs. */
export interface StructureReport {
  readonly tracking_rms: number;
  readonly joint_rms: number;
  readonly gap: number;
  readonly energy_drift: number | null;
  readonly us_per_step: number;
  readonly unknowns: number;
  readonly diverged: number | null;
  readonly findings: readonly FindingReport[];
}

/** Give a digital input another value: the program that is played sees it. */
export interface SwitchInput {
  readonly arm?: string | null;
  readonly type: "switch_input";
  readonly name: string;
  readonly value: boolean;
}

/** Hand an arm over to the page that sends this, whoever moves it now: what that page holds down ends. */
export interface TakeArm {
  readonly arm?: string | null;
  readonly type: "take_arm";
}

/** Three points of the world (mm) that fix a frame: its origin, one on +x, one in the xy plane with y > 0. */
export interface ThreePoints {
  readonly origin: readonly [number, number, number];
  readonly on_x: readonly [number, number, number];
  readonly in_plane: readonly [number, number, number];
}

/** Where a run ended: joint values (° and mm), and the tool's pose (mm, degrees). */
export interface ToolEnd {
  readonly q: readonly number[];
  readonly xyz: readonly [number, number, number];
  readonly abc: readonly [number, number, number];
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
  readonly duration: number | null;
}

/** A program, and the language that it is to be written in. */
export interface TranslateQuestion {
  readonly program: ProgramText;
  readonly to: "krl" | "gcode" | "python" | "scenario" | "urscript" | "rapid";
  readonly arm?: string | null;
}

/** A file of a translation: where it was written, or what is in it where nothing was written. */
export interface TranslatedFileReport {
  readonly name: string;
  readonly path: string | null;
  readonly text: string | null;
}

/** A program in another language. */
export interface TranslationReport {
  readonly program: string;
  readonly language: "krl" | "gcode" | "python" | "scenario" | "urscript" | "rapid";
  readonly files: readonly TranslatedFileReport[];
  readonly findings: readonly ProgramFinding[];
  readonly path_difference: number | null;
  readonly time_difference: number | null;
}

/** Two parts of the arm that are not checked against each other, and why. */
export interface UncheckedPair {
  readonly first: string;
  readonly second: string;
  readonly reason: string;
}

/** Go back by one edit. */
export interface Undo {
  readonly type: "undo";
}

/** A frame of the user's own, for a fixture or a work piece: T_world_frame as X Y Z A B C (mm, degrees). */
export interface UserFrame {
  readonly id: string;
  readonly name: string;
  readonly pose: readonly [number, number, number, number, number, number];
}

/** Which armlab is answering. */
export interface VersionReport {
  readonly version: string;
}

/** Where the tool point can be: cubes in the world, mm; lists have one entry per cube that is reached. */
export interface VolumeReport {
  readonly low: readonly [number, number, number];
  readonly cell: number;
  readonly shape: readonly [number, number, number];
  readonly reached: readonly number[];
  readonly manipulability: readonly number[];
  readonly most: number;
  readonly branches: readonly number[] | null;
}

/** Stand still. */
export interface WaitStep {
  readonly do: "wait";
  readonly seconds: number;
  readonly note: string;
}

/** Hold what is played when this page falls silent: repeated four times a second, until it is switched off. */
export interface Watch {
  readonly type: "watch";
  readonly on?: boolean;
}

/** The first event on a socket: which session this is, how many pages look at it, and which one of them this is. */
export interface Welcome {
  readonly type: "welcome";
  readonly session: string;
  readonly version: string;
  readonly pages: number;
  readonly page: number;
  readonly stops: number;
}

/** Why a target cannot be reached, and what comes nearest: joint values, pose, and gaps in mm and °. */
export interface WhyReport {
  readonly reachable: boolean;
  readonly code: MessageCode;
  readonly summary: string;
  readonly parameters: { readonly [key in string]: unknown };
  readonly branches: readonly BranchReport[];
  readonly nearest_q: readonly number[];
  readonly nearest_xyz: readonly [number, number, number];
  readonly nearest_abc: readonly [number, number, number];
  readonly position_gap: number;
  readonly rotation_gap: number;
  readonly singular: boolean;
}

/** The workspace of an arm, or how much of the work is done; `revision` is that of the project it belongs to. */
export interface WorkspaceProgress {
  readonly revision: number;
  readonly share: number;
  readonly volume: VolumeReport | null;
}

export type Command =
  | JogJoints
  | JogTool
  | MoveJoints
  | PickObject
  | ReleaseObject
  | TakeArm
  | StopMotion
  | Record
  | SetLanguage
  | ShowDocument
  | Watch
  | Play
  | PausePlayer
  | ResumePlayer
  | Seek
  | SingleStep
  | SwitchInput
  | SetBreakpoints
  | RunToLine
  | SetRate
  | SetLoop
  | Edit
  | Undo
  | Redo
  | MoveTool
  | ConsoleLine
  | ResetSimulation
  | SelectArm;

export type Event =
  | Document
  | Changed
  | Welcome
  | Dragged
  | PlayerReport
  | PlayerProgress
  | ConsoleReply
  | Proximity
  | Overloads
  | Stopped
  | Holding
  | Lease
  | RecordingReport
  | Notice
  | Failed;

export const SUBPROTOCOL = "armlab.4";

export const STATE_KIND = 1;

export const STATE_VERSION = 4;

export const STATE_HEADER_BYTES = 24;

export const NUMBERS_PER_FRAME = 7;

/** Little-endian. */
export const STATE_HEADER = {
  kind: { offset: 0, type: "u8" },
  version: { offset: 1, type: "u8" },
  axes: { offset: 2, type: "u8" },
  bodies: { offset: 3, type: "u8" },
  sequence: { offset: 4, type: "u32" },
  time: { offset: 8, type: "f64" },
  flags: { offset: 16, type: "u16" },
  frames: { offset: 18, type: "u16" },
  revision: { offset: 20, type: "u32" },
} as const;

export const SENSORS_KIND = 2;

export const SENSORS_HEADER_BYTES = 24;

/** Little-endian. */
export const SENSORS_HEADER = {
  kind: { offset: 0, type: "u8" },
  version: { offset: 1, type: "u8" },
  sensors: { offset: 2, type: "u16" },
  frames: { offset: 4, type: "u16" },
  nothing: { offset: 6, type: "u16" },
  sequence: { offset: 8, type: "u32" },
  record: { offset: 12, type: "u32" },
  estimated_error: { offset: 16, type: "f32" },
  commanded_error: { offset: 20, type: "f32" },
} as const;

export const SENSOR_HEADER_BYTES = 24;

/** Bytes of a sensor's id, at the beginning of its header. */
export const SENSOR_ID_BYTES = 16;

/** Bits of a state's flags. */
export const Flag = {
  moving: 1,
  jogging: 2,
  playing: 4,
  paused: 8,
  holding: 16,
  touching: 32,
  recording: 64,
  looping: 128,
} as const;

export const JOINT_ROWS = [
  "q",
  "qd",
  "qdd",
  "tau",
  "command",
  "command_qd",
  "command_qdd",
  "command_tau",
] as const;

export const STATE_EXTRAS = [
  "gap",
  "kinetic",
  "potential",
  "player_time",
  "rate",
  "lag",
] as const;

export const OTHER_EXTRAS = [
  "flags",
  "gap",
  "player_time",
  "held",
] as const;

export const SCHEMES = [
  "jerk",
  "smooth",
  "fastest",
  "linear",
  "trapezoid",
  "cubic",
  "quintic",
  "natural",
  "quartic-ends",
  "clamped",
  "4-3-4",
  "3-5-3",
  "3-3-3-3-3",
] as const;

export const DIALECTS = [
  "linuxcnc",
  "grbl",
  "marlin",
  "reprap",
  "fanuc",
] as const;

export const MESSAGE_CODES = [
  "abort",
  "align_count",
  "allan_too_short",
  "already_holding",
  "another_device",
  "answer_form",
  "answer_not_a_rotation",
  "answer_not_text",
  "answer_right",
  "answers_exist",
  "answers_incomplete",
  "arc_after_g40",
  "arc_points_on_line",
  "arc_too_tight",
  "arc_with_via",
  "arc_without_length",
  "arc_without_radius",
  "argument_pair",
  "arm_frame",
  "arm_held",
  "arm_not_armed",
  "arm_not_connected",
  "arm_only_read",
  "arm_plane",
  "arming_unanswered",
  "arms_overlap",
  "assembly_part",
  "asset_hash",
  "asset_missing",
  "asset_unwritable",
  "assets_full",
  "atan_form",
  "attached_object_gone",
  "attached_pose_unreachable",
  "axes_in_line",
  "axes_missing",
  "axes_parallel",
  "axes_twice",
  "axes_without_motion",
  "axis_4",
  "axis_missing",
  "axis_zero",
  "backlash_without_armature",
  "bad_choice",
  "bad_value",
  "bar_not_positive",
  "belt_with_mass",
  "beyond_limits_nearest",
  "bias_off",
  "bin_size",
  "blend_without_corners",
  "blend_without_line",
  "body",
  "body_cut_off",
  "body_is_fixed",
  "body_is_held",
  "body_key_missing",
  "body_key_unknown",
  "body_size_count",
  "body_size_not_positive",
  "body_with_file",
  "boundary_missed",
  "bracket_open",
  "brackets_too_deep",
  "branch",
  "branch_out_of_reach",
  "branch_outside_limit",
  "branches",
  "branches_only",
  "breaks_not_growing",
  "broad_missing",
  "broad_not_numbers",
  "cad_broken",
  "cad_package",
  "cad_time",
  "calibration_model",
  "calls_too_deep",
  "camera_size",
  "cancelled",
  "cannot_hold_itself",
  "cannot_hold_payload",
  "cannot_listen",
  "cannot_read",
  "cannot_write",
  "cause_not_found",
  "cells_outside",
  "center_across",
  "center_missing",
  "centre_outside",
  "channel_twice",
  "checksum",
  "clearance",
  "closed_chain_not_placed",
  "closure_axis",
  "code_unknown",
  "code_unknown_g",
  "code_unknown_m",
  "collision_object",
  "colour",
  "com_needs_inertia",
  "command",
  "command_choice",
  "command_clipped",
  "command_refused",
  "command_too_long",
  "comment_nested",
  "comment_open",
  "comparison_too_long",
  "compensated_already",
  "compensation_plane",
  "compiling",
  "condition_missing",
  "configuration",
  "configuration_and_values",
  "configuration_unreachable",
  "console_break",
  "console_breakpoints",
  "console_input",
  "console_input_set",
  "console_input_value",
  "console_left",
  "console_load",
  "console_load_name",
  "console_loaded",
  "console_no_help",
  "console_no_program",
  "console_no_statement",
  "console_nothing_runs",
  "console_other_language",
  "console_over",
  "console_step",
  "console_stopped",
  "console_too_long",
  "console_unknown_file",
  "constraint_direction",
  "constraint_tolerance",
  "construction",
  "contact",
  "contact_mode",
  "corner_missed",
  "count_out_of_range",
  "coupled_joints",
  "cross_validation_unknowns",
  "curvature_too_sharp",
  "cycle_axes",
  "cycle_word_missing",
  "dae_broken",
  "damping_factors",
  "delay_negative",
  "device_fault",
  "device_reset",
  "dh_and_frame",
  "dh_columns",
  "dh_convention",
  "dh_convention_missing",
  "dh_empty",
  "dh_frame",
  "dh_kind",
  "dh_no_rows",
  "dh_number",
  "dh_off",
  "dh_row_count",
  "dh_row_missing",
  "dh_table_length",
  "diagnose_one_pose",
  "dialect",
  "diameter_missing",
  "direction_lost",
  "distance",
  "distance_negative",
  "diverged",
  "division_by_zero",
  "document_too_large",
  "drive_count",
  "drive_effort",
  "drive_little_damped",
  "drive_saturated",
  "drive_saturated_shakes",
  "drive_setting_outside",
  "drive_value",
  "driver_only_reads",
  "drives_by_name",
  "duration_outside",
  "dwell",
  "dwell_negative",
  "elbow_straight",
  "elbow_straight_wrist",
  "empty_path",
  "end_missed",
  "end_rate_beyond_limit",
  "end_rate_not_taken",
  "energy_not_positive",
  "energy_off",
  "entry_arc",
  "entry_too_short",
  "equals_sign",
  "execution_forgotten",
  "exists_form",
  "experiment",
  "experiment_record_short",
  "experiment_records",
  "expression_name",
  "expression_syntax",
  "expression_too_long",
  "expression_value",
  "factor",
  "factor_not_positive",
  "fanuc_macro",
  "fault",
  "fault_form",
  "fault_values",
  "feed_alone",
  "feed_missing",
  "feed_negative",
  "feed_not_held",
  "feed_off",
  "feed_per_turn",
  "feed_zero",
  "ffmpeg_failed",
  "file_empty",
  "file_exists",
  "file_is_folder",
  "file_missing",
  "file_name",
  "file_name_too_long",
  "file_not_regular",
  "file_not_relative",
  "file_outside",
  "file_suffix",
  "file_too_large",
  "file_unreadable",
  "file_unwritable",
  "filter",
  "filter_not_finite",
  "finger_axis",
  "fingers_of_gripper",
  "fingers_too_heavy",
  "first_axis",
  "first_revolute",
  "fixed_body_not_placed",
  "fixed_kind_with_mass",
  "flat_hull",
  "folder_read_only",
  "folder_too_large",
  "folder_unwritable",
  "follow_counts_differ",
  "follower_limits",
  "followers_wrong",
  "follows_wrong",
  "force_limit_reached",
  "forearm",
  "forearm_turn",
  "foreign_snapshot",
  "formula_too_long",
  "four_bar_open",
  "four_points_needed",
  "fps_outside",
  "frame_index",
  "frame_named_world",
  "frame_not_a_rotation",
  "free_path",
  "friction_negative",
  "friction_without_limit",
  "function_without_bracket",
  "g10_l",
  "g10_nothing",
  "g10_r",
  "g53_compensated",
  "g53_incremental",
  "g53_motion",
  "gate_contact",
  "gcode_binary",
  "gcode_controller_line",
  "gcode_empty",
  "gcode_end_missing",
  "gcode_endless",
  "gcode_extruder",
  "gcode_flat",
  "gcode_flat_arc",
  "gcode_grbl_code",
  "gcode_parallel_axes",
  "gcode_partner_missing",
  "gcode_printer_code",
  "gcode_probe_missed",
  "gcode_rest",
  "gcode_tool_table_missing",
  "gcode_value_expected",
  "gltf_broken",
  "gltf_buffer",
  "gltf_extension",
  "goal_breaks_constraint",
  "goal_count",
  "goal_freedom",
  "goal_touches",
  "goals_touch",
  "gouging",
  "grasp",
  "gravity_compensation_mixed",
  "grbl_channel",
  "grip_and_fingers",
  "grip_travel",
  "grip_without_body",
  "hand_over_axis",
  "healthy",
  "held_body_not_placed",
  "held_out",
  "held_unwatched",
  "helix_end",
  "help",
  "hierarchy_of_closed_chain",
  "http",
  "http_not_found",
  "if_missing",
  "import_joints_missing",
  "import_nothing",
  "import_several",
  "import_unknown",
  "improvement_bounds",
  "imu_column_missing",
  "imu_empty",
  "imu_force_unit",
  "imu_gap",
  "imu_moves",
  "imu_no_header",
  "imu_not_even",
  "imu_rate_unit",
  "imu_row",
  "imu_row_not_finite",
  "imu_starts_moving",
  "imu_time_backwards",
  "imu_times",
  "imu_too_long",
  "imu_too_short",
  "imu_unit",
  "imu_units_assumed",
  "imu_units_mixed",
  "imu_value_too_large",
  "imu_without_truth",
  "imu_without_velocity",
  "index_outside",
  "inertia_impossible",
  "inertia_needs_mass",
  "inertia_not_simulable",
  "inertia_not_symmetric",
  "inertia_of_other_mass",
  "inertia_off",
  "inertia_without_mass",
  "input_mode",
  "input_timeout",
  "input_words",
  "internal",
  "interpolation",
  "interrupted",
  "invalid_request",
  "is_a_folder",
  "iso_columns",
  "iso_cycles",
  "iso_path",
  "iso_path_away",
  "iso_path_columns",
  "iso_path_cycles",
  "iso_path_part",
  "iso_point",
  "jacobian_off",
  "job_cancelled",
  "job_choosing",
  "job_diagnosing",
  "job_ended",
  "job_fitting",
  "job_mapping",
  "job_memory",
  "job_reading",
  "job_simulating",
  "job_time",
  "job_validating",
  "job_waits",
  "jog_stopped",
  "joint",
  "joint_1",
  "joint_2",
  "joint_3",
  "joint_4",
  "joint_5",
  "joint_6",
  "joint_axis",
  "joint_count",
  "joint_count_differs",
  "joint_count_range",
  "joint_gap_wide",
  "joint_kind",
  "joint_motion_too_large",
  "joint_name_twice",
  "joint_not_followed",
  "joint_not_supported",
  "joint_outside",
  "joint_range_empty",
  "joint_value_outside",
  "joint_value_too_large",
  "joint_values_expected",
  "joint_without_inertia",
  "json_before_name",
  "json_number_too_long",
  "json_syntax",
  "key_missing",
  "key_twice",
  "krl_argument_missing",
  "krl_axes_ignored",
  "krl_axis_not_finite",
  "krl_bad_zip",
  "krl_bas",
  "krl_bas_command",
  "krl_binary",
  "krl_blocks_too_deep",
  "krl_brake",
  "krl_capped",
  "krl_closes_nothing",
  "krl_constant",
  "krl_data_missing",
  "krl_declaration_place",
  "krl_declared_twice",
  "krl_defined_twice",
  "krl_direction",
  "krl_division",
  "krl_domain",
  "krl_endless_loop",
  "krl_error_argument",
  "krl_error_variable",
  "krl_exit",
  "krl_expected",
  "krl_expression",
  "krl_expression_missing",
  "krl_external_axes",
  "krl_external_tool",
  "krl_flat_arc",
  "krl_for_variable",
  "krl_import_module",
  "krl_import_name",
  "krl_import_path",
  "krl_import_private",
  "krl_import_type",
  "krl_in_spline",
  "krl_index_type",
  "krl_interrupt",
  "krl_kinematics",
  "krl_label_twice",
  "krl_letter",
  "krl_line_ends",
  "krl_line_too_long",
  "krl_machine_limit",
  "krl_many_files",
  "krl_name_expected",
  "krl_name_too_long",
  "krl_nested",
  "krl_no_array",
  "krl_no_interrupt",
  "krl_no_modules",
  "krl_no_routine",
  "krl_no_value",
  "krl_not_a_letter",
  "krl_not_a_number",
  "krl_not_a_position",
  "krl_not_a_structure",
  "krl_not_executable",
  "krl_not_finite",
  "krl_not_here",
  "krl_not_indexed",
  "krl_number_missing",
  "krl_one_letter",
  "krl_operators",
  "krl_option",
  "krl_outside",
  "krl_overflow",
  "krl_override",
  "krl_priority",
  "krl_pulse",
  "krl_read_only",
  "krl_rest",
  "krl_resume",
  "krl_return_missing",
  "krl_return_value",
  "krl_signal",
  "krl_signal_number",
  "krl_spline_segments",
  "krl_statement",
  "krl_status",
  "krl_step_zero",
  "krl_too_large",
  "krl_too_many_axes",
  "krl_trigger",
  "krl_turn",
  "krl_unassigned",
  "krl_unclosed",
  "krl_unknown_module",
  "krl_value",
  "krl_varstate",
  "krl_wait",
  "krl_wait_too_long",
  "krl_which_module",
  "language",
  "last_revolute",
  "lathe",
  "lathe_orientation",
  "law_of_cosines",
  "lease_ended",
  "lease_held",
  "length_not_positive",
  "lengths",
  "lengths_agree",
  "letter_unknown",
  "level_not_finite",
  "life_assumptions",
  "limit_count",
  "limit_missing",
  "limit_not_positive",
  "limit_reached",
  "limits_reversed",
  "limits_shape",
  "limits_too_large",
  "line_number",
  "line_too_long",
  "line_without_length",
  "lines_reversed",
  "link",
  "link_count",
  "link_damaged",
  "link_file_needed",
  "link_no_identity",
  "link_of_another_arm",
  "link_silent",
  "link_without_mass",
  "link_without_tool",
  "linkage_closure",
  "linkage_counts",
  "linkage_driven",
  "linkage_open",
  "linkage_parent",
  "loop_link",
  "loop_missing",
  "loop_open",
  "loose_with_belt",
  "lower_not_below_upper",
  "m98_words",
  "map_joints",
  "mass_below_links",
  "mass_negative",
  "mass_not_positive",
  "mass_not_simulable",
  "mass_off",
  "masses_differ",
  "masses_estimated",
  "mat_version",
  "measurement_columns",
  "measurement_frame",
  "measurement_joint_order",
  "measurement_joint_signs",
  "measurement_joints",
  "measurement_noise",
  "measurement_rows",
  "measurement_value",
  "measurements_alike",
  "measurements_empty",
  "measurements_far_off",
  "mesh_empty",
  "mesh_faces",
  "mesh_index",
  "mesh_kind",
  "mesh_no_area",
  "mesh_numbers",
  "mesh_scale",
  "mesh_too_large",
  "mesh_too_many_triangles",
  "mesh_too_many_vertices",
  "meshes_too_many_triangles",
  "message_too_short",
  "metres",
  "missing_argument",
  "mjcf_class",
  "mjcf_coordinate",
  "mjcf_endless",
  "mjcf_euler",
  "mjcf_include",
  "mjcf_joint_type",
  "mjcf_name_twice",
  "mjcf_number",
  "mjcf_pattern",
  "mjcf_too_large",
  "mjcf_too_many_geoms",
  "mjcf_value_count",
  "motion_exceeds_limits",
  "motion_not_exciting",
  "motion_not_planned",
  "motion_outside_joint_limits",
  "motion_touches",
  "move_arc",
  "move_arc_keys",
  "move_curve",
  "move_goal_missing",
  "move_goals",
  "move_helix",
  "move_joint_keys",
  "move_joints",
  "move_not_checked",
  "move_straight",
  "move_through_empty",
  "move_timing",
  "move_tool_keys",
  "move_unreachable",
  "move_unwatched",
  "msh_broken",
  "name_empty",
  "name_not_printable",
  "name_open",
  "name_read_only",
  "name_twice",
  "name_unknown",
  "names_twice",
  "negative_distance",
  "negative_width",
  "nested_too_deeply",
  "never_down",
  "never_there",
  "no_access",
  "no_address",
  "no_determinant",
  "no_document",
  "no_duration",
  "no_excitation",
  "no_fault",
  "no_ffmpeg",
  "no_fingers",
  "no_forces",
  "no_free_port",
  "no_friction",
  "no_goal",
  "no_imu_messages",
  "no_inertia_moved",
  "no_joint_names",
  "no_motion_found",
  "no_page",
  "no_path_exists",
  "no_path_found",
  "no_paths",
  "no_payload",
  "no_plan",
  "no_program",
  "no_real_arm",
  "no_results",
  "no_room_to_brake",
  "no_scenario",
  "no_sensors",
  "no_sheets",
  "no_such_column",
  "no_such_folder",
  "no_such_frame",
  "no_such_joint",
  "no_such_object",
  "no_such_pose",
  "no_such_target",
  "no_test_cube",
  "no_timing",
  "no_trajectory",
  "no_value",
  "noise_value",
  "not_a_bag",
  "not_a_bridge",
  "not_a_drive",
  "not_a_list_of_names",
  "not_a_name",
  "not_a_number",
  "not_a_pair",
  "not_a_port",
  "not_a_result",
  "not_a_rotation",
  "not_a_scene",
  "not_a_tool",
  "not_a_trajectory",
  "not_a_whole_number",
  "not_answered",
  "not_cdr",
  "not_finite",
  "not_followed",
  "not_found",
  "not_hdf5",
  "not_mat",
  "not_mcap",
  "not_numbers",
  "not_positive",
  "not_shortest",
  "not_simulable",
  "not_singular",
  "not_straight",
  "not_symmetric",
  "not_text_file",
  "not_utf8",
  "not_with_around",
  "nothing_found_yet",
  "nothing_held",
  "nothing_moves",
  "nothing_played",
  "nothing_recorded",
  "nothing_to_redo",
  "nothing_to_undo",
  "nothing_travelled",
  "number_off",
  "number_outside",
  "number_too_large",
  "numbers_missing",
  "o_word_first",
  "o_word_rest",
  "o_word_unknown",
  "obj_corner",
  "obj_corner_count",
  "obj_index",
  "off_the_edge",
  "one_chain",
  "one_configuration_needed",
  "one_number_per_joint",
  "one_pose_only",
  "operator_unknown",
  "option_of_simulations",
  "option_out_of_range",
  "option_without",
  "orders_outside",
  "orientation",
  "orientation_not_free",
  "orientations_alike",
  "other_arm_busy",
  "other_joints",
  "other_lab",
  "other_link",
  "other_page",
  "out_of_reach",
  "output_lost",
  "output_needed",
  "overlap_at_start",
  "pair_of_one",
  "pair_text",
  "pairs_excluded",
  "paper",
  "parallelogram_flat",
  "parameter_file_line",
  "part_count",
  "part_outside",
  "passage_too_narrow",
  "patch_place",
  "path_cusp",
  "path_gap",
  "path_length",
  "path_length_outside",
  "path_of_another_scene",
  "path_without_motion",
  "pause",
  "payload_exceeded",
  "payload_not_felt",
  "peck",
  "peck_count",
  "peer_does_not_read",
  "pick",
  "pick_fixed",
  "pick_holding",
  "pick_nearest",
  "pick_nothing",
  "pick_too_far",
  "pieces_shape",
  "place",
  "place_nothing",
  "placed_by_default",
  "placed_out_of_reach",
  "plan_duration",
  "plane_through_origin",
  "planner",
  "plant_not_simulated",
  "plant_without_snapshots",
  "play_too_long",
  "player_dropped",
  "player_ended",
  "ply_broken",
  "point_beyond_limits",
  "point_in_plane",
  "point_off",
  "point_on_axis",
  "points_alike",
  "points_on_line",
  "polar_with_xy",
  "poorly_excited",
  "port_lost",
  "port_not_opened",
  "port_taken",
  "port_words",
  "port_words_p",
  "pose_beyond_limits",
  "pose_count",
  "pose_last_row",
  "power_of_negative",
  "preset",
  "probe",
  "probe_nowhere",
  "probe_per_turn",
  "program",
  "program_endless",
  "program_still",
  "program_suffix",
  "program_without_motion",
  "push_count",
  "push_fixed_body",
  "push_times",
  "push_without_mass",
  "q_and_configuration",
  "r_ambiguous",
  "r_below_bottom",
  "radians",
  "radii_differ",
  "radius_and_center",
  "radius_no_chord",
  "radius_off",
  "radius_too_small",
  "radius_zero",
  "ramp_missing",
  "rate_not_positive",
  "rate_not_possible",
  "ratio_off",
  "reachable",
  "reached",
  "read_input",
  "read_only",
  "real_arm_of_another",
  "real_joint_names",
  "real_joint_value",
  "recorded_name_not_printable",
  "recorder_closed",
  "recording",
  "recording_cut",
  "recording_damaged",
  "recording_empty",
  "recording_full",
  "recording_gap",
  "recording_in_memory",
  "recording_joint_order",
  "recording_joints",
  "recording_kind",
  "recording_lacks_joints",
  "recording_message",
  "recording_not_commanded",
  "recording_of_other",
  "recording_only_played",
  "recording_or_excite",
  "recording_or_inject",
  "recording_shape",
  "recording_short_of_time",
  "recording_summary_cut",
  "recording_times",
  "recording_too_large",
  "recording_too_large_unpacked",
  "recording_too_short",
  "recording_value_too_large",
  "recording_without",
  "recording_without_positions",
  "records_and_mounts",
  "records_not_together",
  "reference_other_work",
  "reflection",
  "repeated_point",
  "repeats",
  "rest_count",
  "rest_missing",
  "rest_outside",
  "return_outside",
  "right",
  "right_for_these_lengths",
  "roadmap_nodes",
  "robot",
  "robot_differs_from_catalog",
  "robot_missing",
  "robot_needed",
  "robot_not_in_catalog",
  "roll",
  "rounded",
  "row_counts_differ",
  "row_length",
  "rtde_joints",
  "rtde_refused",
  "same_elbow",
  "same_frames",
  "same_group",
  "same_points",
  "sample_old",
  "samples_outside",
  "say",
  "scenario",
  "scenario_arm_missing",
  "scenario_empty",
  "scenario_file_outside",
  "scenario_from_stdin",
  "scenario_steps_missing",
  "scenario_without_motion",
  "scene",
  "scene_body",
  "scene_name_twice",
  "scene_robot",
  "scene_text_too_large",
  "scene_too_large",
  "scene_without_arm",
  "scene_without_robot",
  "scheme",
  "scheme_not_free",
  "script_endless_loop",
  "script_expression",
  "script_not_allowed",
  "script_not_text",
  "script_syntax",
  "script_too_deep",
  "script_too_long",
  "script_unknown_function",
  "script_unknown_name",
  "sdf_no_model",
  "sdf_value",
  "search_bounds",
  "second_revolute",
  "seconds_negative",
  "seed_negative",
  "sensor_gone",
  "sensor_kind",
  "sensor_needs_forces",
  "sensor_place",
  "sensor_setting",
  "sensor_twice",
  "sensor_went",
  "serial_missing",
  "servo_diverged",
  "session",
  "set_output",
  "setpoint_not_finite",
  "setting_form",
  "several_results",
  "shape_count",
  "shape_finish",
  "shape_has_no_points",
  "shape_kind",
  "shape_needs_points",
  "shape_not_a_hull",
  "shape_size_count",
  "shape_size_count_range",
  "shape_size_not_finite",
  "shape_size_not_positive",
  "shape_too_thin",
  "shapes_differ",
  "share_outside",
  "sign",
  "simulated_body",
  "simulated_robot",
  "simulation_diverged",
  "singular",
  "six_points",
  "skin_body",
  "skin_not_finite",
  "skin_not_positive",
  "slide_at_axis",
  "solutions_found",
  "source_key",
  "source_value",
  "speed_and_belt",
  "speed_negative",
  "speeds_without_positions",
  "spindle_stands",
  "spline_axes",
  "spline_controls",
  "spline_controls_end",
  "spline_controls_start",
  "spline_first",
  "spline_plane",
  "spline_slopes",
  "stale",
  "start_away",
  "start_breaks_constraint",
  "start_count",
  "start_off_path",
  "start_outside",
  "start_touches",
  "state_invalid",
  "state_missing",
  "state_of_another_program",
  "state_within_curve",
  "statement",
  "status_without_wrist",
  "step_and_scenario",
  "step_count",
  "step_form",
  "step_not_positive",
  "step_off",
  "step_outside_limits",
  "step_too_long_for_stiffness",
  "step_too_short",
  "step_too_small",
  "steps_outside",
  "still_touches",
  "stl_cut_off",
  "stl_end_missing",
  "stl_too_short",
  "stl_vertex_count",
  "stop",
  "stop_outside",
  "stopped",
  "stopped_since",
  "stroke",
  "structure",
  "structure_diverged",
  "structure_shakes",
  "student_name",
  "sub_unknown",
  "sum_of_three",
  "surface_text",
  "table_cell_too_long",
  "table_parquet",
  "table_row",
  "table_size",
  "table_time",
  "table_too_large",
  "table_too_long",
  "table_without",
  "tap_direction",
  "target_in_ring",
  "target_missed",
  "target_outside",
  "target_shape",
  "task_cannot_move",
  "task_mask",
  "task_without_rows",
  "tau_too_large",
  "tcp",
  "text_not_printable",
  "text_with_meshes",
  "thermal_values",
  "third_revolute",
  "thread_count_outside",
  "threshold_not_positive",
  "tick_late",
  "tilt_off",
  "time_backwards",
  "time_count",
  "time_not_positive",
  "time_outside",
  "time_range",
  "time_too_short",
  "times_not_growing",
  "times_not_taken",
  "times_of_tool_path",
  "times_outside",
  "timestep_outside",
  "timing",
  "tolerance",
  "toml_ends_early",
  "toml_number_too_long",
  "toml_syntax",
  "too_fast",
  "too_few_axes",
  "too_few_candidates",
  "too_few_frames",
  "too_few_measurements",
  "too_few_points",
  "too_few_poses",
  "too_large",
  "too_large_to_simulate",
  "too_long",
  "too_many_arguments",
  "too_many_bends",
  "too_many_commands",
  "too_many_frames",
  "too_many_jobs",
  "too_many_m",
  "too_many_names",
  "too_many_pictures",
  "too_many_points",
  "too_many_rows",
  "too_many_samples",
  "too_many_sessions",
  "too_many_shapes",
  "too_many_turns",
  "too_many_values",
  "too_near",
  "too_slow",
  "too_small",
  "too_weak_to_hold",
  "tool",
  "tool_axis",
  "tool_axis_zero",
  "tool_cannot_stay_upright",
  "tool_kind",
  "tool_limit_not_positive",
  "tool_number",
  "tool_path_missing",
  "tool_q",
  "tool_speed_of_joints",
  "tool_table_line",
  "tool_turn",
  "tool_unknown",
  "torque_estimated",
  "torque_off",
  "torque_too_low",
  "torque_unexplained",
  "torque_unknown",
  "touch_at_home",
  "touching",
  "trace_one_pose",
  "track_one_pose",
  "trajectory_gap",
  "trajectory_start",
  "transform_off",
  "translate_other_maker",
  "translate_over_source",
  "translate_too_long",
  "translation_differs",
  "translation_flattened",
  "translation_maker",
  "translation_not_compared",
  "translation_place",
  "translation_run",
  "translation_signals",
  "truth_missing",
  "turns",
  "twist_count",
  "typed_time_too_short",
  "undecided",
  "unknown_at_limits",
  "unknown_body",
  "unknown_calibration_model",
  "unknown_collision_object",
  "unknown_command",
  "unknown_configuration",
  "unknown_construction",
  "unknown_contact_mode",
  "unknown_dialect",
  "unknown_experiment",
  "unknown_fault",
  "unknown_filter",
  "unknown_grasp",
  "unknown_host",
  "unknown_interpolation",
  "unknown_joint",
  "unknown_lab",
  "unknown_language",
  "unknown_link",
  "unknown_option",
  "unknown_paper",
  "unknown_plane",
  "unknown_preset",
  "unknown_program",
  "unknown_quantity",
  "unknown_recording",
  "unknown_robot",
  "unknown_scenario",
  "unknown_scene",
  "unknown_scene_body",
  "unknown_scene_robot",
  "unknown_scheme",
  "unknown_section",
  "unknown_session",
  "unknown_simulated_body",
  "unknown_simulated_robot",
  "unknown_spline_ends",
  "unknown_structure",
  "unknown_task",
  "unknown_timing",
  "unknown_tolerance",
  "unknown_tool",
  "unreachable",
  "urdf_attribute_empty",
  "urdf_attribute_missing",
  "urdf_axis_count",
  "urdf_cycle",
  "urdf_cycle_apart",
  "urdf_element_missing",
  "urdf_joint_type",
  "urdf_length_negative",
  "urdf_link_missing",
  "urdf_name",
  "urdf_name_twice",
  "urdf_no_links",
  "urdf_not_a_number",
  "urdf_number_too_large",
  "urdf_root",
  "urdf_tip_not_below_base",
  "urdf_too_large",
  "urdf_value_count",
  "usage",
  "value_count",
  "value_missing",
  "value_refused",
  "value_too_large",
  "velocity_limit_missing",
  "wait",
  "wait_never_ends",
  "wait_until",
  "watchdog_tripped",
  "where_is",
  "wire_degenerate",
  "word_twice",
  "word_unused",
  "wrist_decoupling",
  "wrist_joints",
  "wrong",
  "wrong_host",
  "wrong_joint_count",
  "wrong_load",
  "wrong_number_count",
  "wrong_origin",
  "wrong_shape",
  "wrong_target",
  "wrong_width",
  "x_not_growing",
  "xacro",
  "xacro_argument",
  "xacro_block",
  "xacro_circle",
  "xacro_command",
  "xacro_condition",
  "xacro_endless",
  "xacro_include",
  "xacro_macro",
  "xacro_name",
  "xacro_parameter",
  "xacro_problem",
  "xml_doctype",
  "xml_entity",
  "xml_syntax",
  "xml_text",
  "yaml_angle",
  "yaml_syntax",
  "yaml_too_large",
  "zero_axis",
  "zero_quaternion",
  "zip_bomb",
  "zip_broken",
  "zip_encrypted",
  "zip_path",
  "zip_too_large",
] as const;

export type MessageCode = (typeof MESSAGE_CODES)[number];
