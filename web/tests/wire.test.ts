import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SessionEvent } from "../src/messages";
import { SUBPROTOCOL } from "../src/protocol.gen";
import { type Hands, link, liveAddress, type Socket, Wire } from "../src/wire";

vi.stubGlobal("location", { href: "http://127.0.0.1:8090/lab/#ur5e" });

class FakeSocket implements Socket {
  binaryType = "";
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((reason: { code: number }) => void) | null = null;
  readonly sent: string[] = [];
  isClosed = false;
  constructor(
    readonly url: string,
    readonly protocol: string,
  ) {}
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.isClosed = true;
  }
  greet(): void {
    this.onopen?.();
    this.onmessage?.({ data: '{"type":"welcome","session":"s","version":"1","pages":1}' });
  }
}

const sockets: FakeSocket[] = [];
const events: SessionEvent[] = [];
const states: ArrayBuffer[] = [];
let names: string[];
let answer: "fine" | "denied" | "away";
let isDown: boolean;
const hands: Hands = {
  open: (url, protocol) => {
    const socket = new FakeSocket(url, protocol);
    sockets.push(socket);
    return socket;
  },
  session: () => (isDown ? Promise.reject(new Error("down")) : Promise.resolve(names[0] ?? "")),
  onUnknownSession: () => names.shift(),
  probe: () => Promise.resolve(answer),
  onEvent: (event) => events.push(event),
  onState: (buffer) => states.push(buffer),
};

const last = (): FakeSocket => {
  const socket = sockets.at(-1);
  if (socket === undefined) throw new Error("no socket");
  return socket;
};

beforeEach(() => {
  vi.useFakeTimers();
  for (const list of [sockets, events, states]) list.length = 0;
  names = ["one", "two"];
  answer = "fine";
  isDown = false;
  link.value = "connecting";
});
afterEach(() => vi.useRealTimers());

describe("the wire", () => {
  test("coalesce its session with the protocol's version, and hands on what comes", async () => {
    await new Wire(hands).connect();
    expect(last().url).toBe("ws://127.0.0.1:8090/lab/api/live?session=one&language=en");
    expect(last().protocol).toBe(SUBPROTOCOL);
    expect(link.value).toBe("connecting");
    last().greet();
    last().onmessage?.({ data: new ArrayBuffer(8) });
    expect(link.value).toBe("open");
    expect(events.map((event) => event.type)).toEqual(["welcome"]);
    expect(states).toHaveLength(1);
  });

  test("sends only while somebody hears", async () => {
    const wire = new Wire(hands);
    expect(wire.send({ type: "stop" })).toBe(false);
    await wire.connect();
    last().greet();
    expect(wire.send({ type: "stop" })).toBe(true);
    expect(last().sent).toEqual(['{"type":"stop"}']);
  });

  test("comes back after 0.3 s, then later and later, at most every 3 s", async () => {
    await new Wire(hands).connect();
    last().greet();
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const before = sockets.length;
      last().onclose?.({ code: 1006 });
      await vi.advanceTimersByTimeAsync(0);
      expect(link.value).toBe("lost");
      let waited = 0;
      while (sockets.length === before) {
        await vi.advanceTimersByTimeAsync(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits[0]).toBe(300);
    expect(waits.at(-1)).toBe(3000);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    last().greet();
    expect(link.value).toBe("open");
  });

  test("a server that is down is asked again until it answers", async () => {
    isDown = true;
    answer = "away";
    await new Wire(hands).connect();
    expect(link.value).toBe("lost");
    expect(sockets).toHaveLength(0);
    isDown = false;
    await vi.advanceTimersByTimeAsync(400);
    last().greet();
    expect(link.value).toBe("open");
  });

  test("an unknown session is left for another one at once", async () => {
    await new Wire(hands).connect();
    last().onclose?.({ code: 4004 });
    await vi.advanceTimersByTimeAsync(0);
    expect(last().url).toContain("session=two");
  });

  test("another version is told to reload, and nothing is tried again", async () => {
    await new Wire(hands).connect();
    last().onclose?.({ code: 4001 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(link.value).toBe("stale");
    expect(sockets).toHaveLength(1);
  });

  test("a browser without access is told so, and nothing is tried again", async () => {
    answer = "denied";
    await new Wire(hands).connect();
    last().onclose?.({ code: 1006 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(link.value).toBe("denied");
    expect(sockets).toHaveLength(1);
  });

  test("a long silence is a cut line", async () => {
    await new Wire(hands).connect();
    last().greet();
    await vi.advanceTimersByTimeAsync(6000);
    expect(link.value).toBe("lost");
    expect(sockets).toHaveLength(2);
    expect(sockets[0]?.isClosed).toBe(true);
  });

  test("a line that never opens is tried again, and said to be lost meanwhile", async () => {
    await new Wire(hands).connect();
    await vi.advanceTimersByTimeAsync(6000);
    expect(link.value).toBe("lost");
    expect(sockets).toHaveLength(2);
    last().greet();
    expect(link.value).toBe("open");
  });

  test("what an old socket still says is not heard", async () => {
    const wire = new Wire(hands);
    await wire.connect();
    const old = last();
    old.greet();
    const hear = old.onmessage;
    await wire.connect();
    hear?.({ data: new ArrayBuffer(8) });
    expect(states).toHaveLength(0);
  });
});

test("the address follows a proxy's path and its scheme", () => {
  expect(liveAddress("a b", "https://lab.example/arm/?x=1#y")).toBe(
    "wss://lab.example/arm/api/live?session=a%20b&language=en",
  );
});
