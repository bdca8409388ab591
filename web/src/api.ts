/** The server's answers, typed by the generated protocol; every address is relative to the page's own. */

import type { ErrorBody, FkReport, RobotRow, RobotSheet, VersionReport } from "./protocol.gen";

/** Why there is no answer: the server's own code and sentence, or "network" when nobody answered. */
export class Failure extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.details = details;
  }
}

/** Return `reason` as a Failure; whatever is not one already is a mistake of the page's own. */
export function asFailure(reason: unknown): Failure {
  if (reason instanceof Failure) return reason;
  return new Failure("page", reason instanceof Error ? reason.message : String(reason));
}

export const fetchVersion = (): Promise<VersionReport> => fetchJson("api/version");
export const fetchRobots = (): Promise<readonly RobotRow[]> => fetchJson("api/robots");
export const fetchSheet = (name: string): Promise<RobotSheet> =>
  fetchJson(`api/robots/${encodeURIComponent(name)}`);

/** Ask where the tool and every link are at `q`, in degrees and millimetres. */
export function fetchFk(name: string, q: readonly number[]): Promise<FkReport> {
  return fetchJson(
    `api/robots/${encodeURIComponent(name)}/fk?q=${q.map((value) => value.toString()).join(",")}`,
  );
}

/** Return the arm's GLB model. */
export async function fetchModel(name: string): Promise<ArrayBuffer> {
  const response = await ask(`api/robots/${encodeURIComponent(name)}/model.glb`);
  return response.arrayBuffer();
}

async function fetchJson<Answer>(address: string): Promise<Answer> {
  const response = await ask(address);
  return (await response.json()) as Answer; // the generated types say what the server promises
}

async function ask(address: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address);
  } catch {
    throw new Failure("network", "the server does not answer");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as ErrorBody;
    return new Failure(body.code, body.message, body.details);
  } catch {
    return new Failure("internal", `${response.status} ${response.statusText}`);
  }
}
