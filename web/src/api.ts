/** The server's answers, typed by the generated protocol; every address is relative to the page's own. */

import { language } from "./i18n";
import type { ErrorBody, MessageCode, Project, RobotRow, RobotSheet, SessionReport } from "./protocol.gen";

/** The HTTP status of an answer that says what is wrong with the question. */
const UNUSABLE = 422;
/** No content: what was asked is about a project that has changed since. */
const OUTDATED = 204;

/** Codes of the page's own: nobody answered, a mistake in the page, no place for a body, a file too long, and a question
 * that came too late. */
export const PAGE_CODES = ["network", "page", "no_room", "too_long", "outdated"] as const;
export type FailureCode = MessageCode | (typeof PAGE_CODES)[number];

/** Why there is no answer: the server's own code and sentence, or "network" when nobody answered. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the server understood, and refuses: the question has to change, asking again does not help. */
  readonly isRefusal: boolean;

  constructor(
    code: FailureCode,
    message: string,
    parameters: Readonly<Record<string, unknown>> = {},
    isRefusal = false,
  ) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.parameters = parameters;
    this.isRefusal = isRefusal;
  }
}

/** Return `reason` as a Failure; whatever is not one already is a mistake of the page's own. */
export function asFailure(reason: unknown): Failure {
  if (reason instanceof Failure) return reason;
  return new Failure("page", reason instanceof Error ? reason.message : String(reason));
}

export const fetchRobots = (): Promise<readonly RobotRow[]> => fetchJson("api/robots");
export const fetchSheet = (name: string): Promise<RobotSheet> =>
  fetchJson(`api/robots/${encodeURIComponent(name)}`);

/** Return the arm of a session: its numbers as the project has changed them. */
export const fetchSessionSheet = (session: string): Promise<RobotSheet> =>
  fetchJson(`api/sessions/${encodeURIComponent(session)}/sheet`);

/** Return the arm of a session as the catalog, or its own file, has it. */
export const fetchOriginal = (session: string): Promise<RobotSheet> =>
  fetchJson(`api/sessions/${encodeURIComponent(session)}/original`);

/** Return the GLB model of a session's arm, or of its bodies; of another arm by its name in the scene. */
export async function fetchShape(
  session: string,
  what: "model" | "bodies",
  arm: string | null = null,
): Promise<ArrayBuffer> {
  const query = arm === null ? "" : `?arm=${encodeURIComponent(arm)}`;
  const response = await ask(`api/sessions/${encodeURIComponent(session)}/${what}.glb${query}`);
  return response.arrayBuffer();
}

/** Start a session, with a project or with the first arm of the catalog; return its name. */
export async function createSession(project: Project | null): Promise<string> {
  const { session } = await postJson<SessionReport>("api/sessions", { project });
  return session;
}

/** Ask something whose answer is JSON; `address` is relative: "api/…". */
export async function fetchJson<Answer>(address: string): Promise<Answer> {
  const response = await ask(address);
  return (await response.json()) as Answer; // the generated types say what the server promises
}

/** Send JSON, and return the answer. */
export async function postJson<Answer>(address: string, body: unknown): Promise<Answer> {
  const response = await ask(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

/** Ask, and return the answer as it is; a refusal is thrown as a Failure. */
export async function ask(address: string, request: RequestInit = {}): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set("Accept-Language", language.peek()); // messages come in the reader's language
  let response: Response;
  try {
    response = await fetch(address, { ...request, headers });
  } catch {
    throw new Failure("network", "the server does not answer");
  }
  if (response.status === OUTDATED) throw new Failure("outdated", "the project has changed since");
  if (!response.ok) throw await failureOf(response);
  return response;
}

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as ErrorBody;
    return new Failure(body.code, body.message, body.parameters, response.status === UNUSABLE);
  } catch {
    return new Failure("internal", `${response.status} ${response.statusText}`);
  }
}
