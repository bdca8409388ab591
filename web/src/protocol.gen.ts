// Written by tools/protocol.py from the Python models; change those, then run it again.

/** What kills one branch; `joint` and `excess` (° or mm) where it is a limit. */
export interface BranchReport {
  readonly branch: string;
  readonly sentence: string;
  readonly joint: string;
  readonly excess: number;
}

/** One row of a Denavit-Hartenberg table: mm and degrees; the joint value adds to theta or to d. */
export interface DhRow {
  readonly joint: string;
  readonly theta: number;
  readonly d: number;
  readonly a: number;
  readonly alpha: number;
}

/** Why there is no answer: a code for programs, a sentence for people, and its facts as values. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
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

/** The answer of inverse kinematics: one solution, or all of them. */
export interface IkReport {
  readonly converged: boolean;
  readonly reason: string;
  readonly solutions: readonly SolutionReport[];
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

/** One link: its mass in kg, its centre of mass in its own frame, mm. */
export interface LinkRow {
  readonly name: string;
  readonly mass: number;
  readonly com: readonly [number, number, number];
}

/** Joint values under a name, in the joints' units. */
export interface NamedPose {
  readonly name: string;
  readonly q: readonly number[];
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

/** One solution: joint values (° and mm), branch, what is left of an error (mm and °). */
export interface SolutionReport {
  readonly q: readonly number[];
  readonly branch: string;
  readonly position_error: number;
  readonly rotation_error: number;
  readonly free: FreeJointReport | null;
}

/** Which armlab is answering. */
export interface VersionReport {
  readonly version: string;
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
