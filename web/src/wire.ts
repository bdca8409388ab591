/** The socket to the session: opened, watched, opened again; knows how to come back, not what the messages mean. */

import { signal } from "@preact/signals";
import { language } from "./i18n";
import type { Command, SessionEvent } from "./messages";
import { SUBPROTOCOL } from "./protocol.gen";

/** "stale": the server is of another version, reload; "denied": this browser has no access. */
export type Link = "connecting" | "open" | "lost" | "stale" | "denied";

export const link = signal<Link>("connecting");

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 3000;
const SILENCE_MS = 5000;
const STALE = 4001;
const UNKNOWN_SESSION = 4004;

/** As much of a WebSocket as we use. */
export interface Socket {
  binaryType: string;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((reason: { code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

/** What the wire needs from others. */
export interface Hands {
  /** Open a socket to this address. */
  readonly open: (url: string, protocol: string) => Socket;
  /** Return the session to join, making one where there is none; rejects where that fails. */
  readonly session: () => Promise<string>;
  /** Forget the session: the server does not know it any more. */
  readonly onUnknownSession: (session: string) => void;
  /** Tell whether the server answers, and lets this browser in. */
  readonly probe: () => Promise<"fine" | "denied" | "away">;
  readonly onEvent: (event: SessionEvent) => void;
  readonly onState: (buffer: ArrayBuffer) => void;
}

export class Wire {
  readonly #hands: Hands;
  #socket: Socket | null = null;
  #round = 0;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  /** Connect now, whatever was planned. */
  async connect(): Promise<void> {
    clearTimeout(this.#timer);
    this.#drop();
    const round = ++this.#round;
    if (link.value !== "lost") link.value = "connecting";
    let session: string;
    try {
      session = await this.#hands.session();
    } catch {
      if (round === this.#round) await this.#wonder(round);
      return;
    }
    if (round === this.#round) this.#join(session, round);
  }

  /** Send a command; return false where nobody hears it. */
  send(command: Command): boolean {
    if (link.value !== "open" || this.#socket === null) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  /** End for good. */
  close(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
    this.#drop();
  }

  #join(session: string, round: number): void {
    const socket = this.#hands.open(liveAddress(session), SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#listen(); // a line that never opens is as silent as one that is cut
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      this.#listen();
    };
    socket.onmessage = ({ data }) => {
      if (round !== this.#round) return;
      link.value = "open";
      this.#listen();
      if (data instanceof ArrayBuffer) this.#hands.onState(data);
      else if (typeof data === "string") this.#hands.onEvent(JSON.parse(data) as SessionEvent);
    };
    socket.onclose = ({ code }) => {
      if (round !== this.#round) return;
      clearTimeout(this.#silence);
      this.#socket = null;
      if (code === STALE) link.value = "stale";
      else if (code === UNKNOWN_SESSION) {
        this.#hands.onUnknownSession(session);
        void this.connect();
      } else void this.#wonder(round);
    };
  }

  /** A session sends states all the time: a long silence means that the line is cut. */
  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      if (typeof document !== "undefined" && document.hidden) {
        this.#listen();
        return;
      }
      link.value = "lost";
      void this.connect();
    }, SILENCE_MS);
  }

  /** The line is cut: find out why, and come back. */
  async #wonder(round: number): Promise<void> {
    if (link.value === "open") link.value = "lost";
    const found = await this.#hands.probe();
    if (round !== this.#round) return;
    if (found === "denied") {
      link.value = "denied";
      return;
    }
    link.value = "lost";
    this.#timer = setTimeout(() => void this.connect(), this.#wait);
    this.#wait = Math.min(this.#wait * 1.7, LONGEST_WAIT_MS);
  }

  #drop(): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onclose = null;
    socket.onmessage = null;
    socket.close();
  }
}

/** Return the socket's address beside the page's own, also below a proxy's path. */
export function liveAddress(session: string, page: string = location.href): string {
  const address = new URL(
    `api/live?session=${encodeURIComponent(session)}&language=${language.peek()}`,
    page,
  );
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}

let wire: Wire | null = null;

/** Let `started` be the wire that `send` uses. */
export function useWire(started: Wire): void {
  wire = started;
}

/** Send a command to the session; return false where nobody hears it (the banner says so). */
export function send(command: Command): boolean {
  return wire?.send(command) ?? false;
}

/** Connect now, without waiting for the next try. */
export function reconnect(): void {
  void wire?.connect();
}
