/** The real arm of the project, where it stands beside the nominal one, and the work on it while the panel is open. */

import { computed, effect, signal } from "@preact/signals";
import { selectedArm } from "../../arms";
import { ask, asFailure, Failure, fetchJson, postJson } from "../../api";
import { language, t } from "../../i18n";
import { edit, project } from "../../project";
import type {
  CalibrationJob,
  ClinicJob,
  DrawnReal,
  FileReal,
  InjectQuestion,
  MeasureQuestion,
  RealPose,
} from "../../protocol.gen";
import { session } from "../../session";

export type RealChoice = DrawnReal | FileReal;
export type Tolerance = DrawnReal["tolerance"];
export const TOLERANCES: readonly Tolerance[] = ["iso", "industrial", "hobby"];
export const FACTORS = [1, 10, 100] as const;
export const MOST_SEED = 2_147_483_647;
const POLL_MS = 100;
const JOB_MS = 250;
const LONGEST_FILE = 60_000;
const LONGEST_CSV = 1_000_000;
const LONGEST_RECORDING = 100_000_000;

export const real = computed<RealChoice | null>(() => project.value?.real ?? null);
/** How many times shifts and turns are enlarged in the view. */
export const enlarge = signal<number>(1);
export const showsGhost = signal(true);
/** Where the real arm is: the newest answer. */
export const pose = signal<RealPose | null>(null);
/** Why a choice was refused. */
export const refusal = signal<Failure | null>(null);

/** Draw a real arm, or another one. */
export async function draw(tolerance: Tolerance, seed: number): Promise<void> {
  await choose({ kind: "drawn", tolerance, seed }, t("real.edit.draw"));
}

/** Take the real arm of a file; one that cannot be used is told in place. */
export async function openReal(file: File): Promise<void> {
  if (file.size > LONGEST_FILE) {
    refusal.value = new Failure("too_long", t("real.fileTooLong", { name: file.name }), {}, true);
    return;
  }
  const arm = selectedArm.peek();
  const text = await file.text();
  if (text.trim() === "")
    refusal.value = new Failure("page", t("real.fileEmpty", { name: file.name }), {}, true);
  else await choose({ kind: "file", text }, t("real.edit.open"), arm);
}

export async function removeReal(): Promise<void> {
  await choose(null, t("real.edit.remove"));
}

/** Take what the calibration has found as the real arm. */
export async function takeFound(): Promise<void> {
  const arm = selectedArm.peek();
  try {
    const response = await ask(address("calibration/real.toml"));
    await choose({ kind: "file", text: await response.text() }, t("real.edit.found"), arm);
  } catch (reason) {
    refusal.value = asFailure(reason);
  }
}

/** Choose the real arm of an arm, by its name: another one may be selected by the time it is this edit's turn. */
async function choose(choice: RealChoice | null, label: string, arm = selectedArm.peek()): Promise<void> {
  refusal.value = await edit(label, (before) => ({ ...before, real: choice }), { arm, quiet: true });
}

const address = (rest: string): string => `api/sessions/${encodeURIComponent(session.peek())}/real/${rest}`;

/** Addresses of files. */
export const realAddress = (): string => address("real.toml");
export const foundAddress = (): string => address("calibration/real.toml");
export const recordingAddress = (kind: string): string => address(`clinic/recording.${kind}`);

/** One kind of work on the server: the last answer about it, and why it was refused. */
export class Work<Job extends CalibrationJob | ClinicJob> {
  readonly job = signal<Job | null>(null);
  readonly failure = signal<Failure | null>(null);
  readonly isRunning = computed(() => this.job.value?.state === "running");
  readonly #path: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Ask how far it is, again and again while it runs. */
  async look(): Promise<void> {
    await this.#take(() => fetchJson<Job>(address(this.#path)));
  }

  /** Start with numbers that were typed. */
  async start(question: MeasureQuestion | InjectQuestion): Promise<void> {
    await this.#take(() => postJson<Job>(address(this.#path), question));
  }

  /** Start with a file. */
  async upload(path: string, file: File, most: number): Promise<void> {
    if (file.size > most) {
      this.failure.value = new Failure("too_long", t("real.fileTooLong", { name: file.name }), {}, true);
      return;
    }
    const name = encodeURIComponent(file.name.slice(-100));
    const mark = path.includes("?") ? "&" : "?";
    await this.#take(async () => {
      const response = await ask(address(`${path}${mark}name=${name}`), { method: "POST", body: file });
      return (await response.json()) as Job;
    });
  }

  stop(): void {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  async #take(question: () => Promise<Job>): Promise<void> {
    this.stop();
    const mine = this.#asked;
    try {
      const job = await question();
      if (mine !== this.#asked) return; // something newer was asked
      this.failure.value = null;
      this.job.value = job;
      if (job.state === "running") this.#timer = setTimeout(() => void this.look(), JOB_MS);
    } catch (reason) {
      if (mine === this.#asked) this.failure.value = asFailure(reason);
    }
  }
}

export const calibration = new Work<CalibrationJob>("calibration");
export const clinic = new Work<ClinicJob>("clinic");

export const uploadMeasurements = (file: File, model: string): Promise<void> =>
  calibration.upload(`measurements?model=${model}`, file, LONGEST_CSV);
export const uploadRecording = (file: File): Promise<void> =>
  clinic.upload("recording", file, LONGEST_RECORDING);

/** What results are of: the session's arm, and the language that their sentences are in. */
const about = computed(() =>
  project.value === null || session.value === ""
    ? ""
    : `${session.value} ${language.value} ${JSON.stringify(project.value.arm)}`,
);

/** Ask where the real arm is, and what the work has given, until the result is called. */
export function follow(): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const poll = async (): Promise<void> => {
    await askPose();
    if (isOver)
      pose.value = null; // when the panel is opened again, the arm stands elsewhere
    else timer = setTimeout(() => void poll(), POLL_MS);
  };
  void poll();
  const stop = effect(() => {
    if (about.value === "") return;
    refusal.value = null;
    void calibration.look();
    void clinic.look();
  });
  return () => {
    isOver = true;
    pose.value = null;
    clearTimeout(timer);
    stop();
    calibration.stop();
    clinic.stop();
  };
}

async function askPose(): Promise<void> {
  if (real.peek() === null) {
    if (pose.peek() !== null) pose.value = null;
    return;
  }
  if (document.hidden) return;
  try {
    const answer = await fetchJson<RealPose | null>(address(`pose?enlarge=${enlarge.peek()}`));
    pose.value = real.peek() === null ? null : answer;
  } catch {
    pose.value = null; // the arm is being changed, or nobody answers; asked again soon
  }
}
