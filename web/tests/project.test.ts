import { beforeEach, describe, expect, test } from "vitest";
import type { Failure } from "../src/api";
import { newArm } from "../src/arms";
import type { Command } from "../src/messages";
import { applied } from "../src/patch";
import { Editor, plainArm, type ProjectOfArm, seenBy, withArm } from "../src/project";
import type { Document, Edit, MessageCode, Project } from "../src/protocol.gen";

const PROJECT: Project = {
  schema: 2,
  title: "Untitled",
  notes: "",
  arms: [newArm("arm", plainArm("ur5e"))],
  structure: "articulation",
  bodies: [],
  frames: [],
  positions: null,
};

/** A server that takes edits one by one. */
class Server {
  document: Document = document(PROJECT, 1, null);
  readonly edits: Edit[] = [];
  isThere = true;
  readonly editor = new Editor(
    (command: Command) => {
      if (this.isThere && command.type === "edit") this.edits.push(command);
      return this.isThere;
    },
    () => this.document,
  );

  /** Answer the newest edit. */
  accept(): void {
    const edit = this.edits.at(-1);
    if (edit === undefined) throw new Error("no edit");
    const project = applied(this.document.project, edit.changes);
    this.tell(document(project, this.document.revision + 1, edit.label));
  }

  tell(newest: Document): void {
    this.document = newest;
    this.editor.onDocument(newest);
  }

  refuse(code: MessageCode): boolean {
    return this.editor.onFailed({
      type: "failed",
      command: "edit",
      arm: null,
      code,
      message: "no",
      step: null,
      line: null,
      parameters: {},
    });
  }
}

function document(project: Project, revision: number, undo: string | null): Document {
  return {
    type: "document",
    project,
    revision,
    layout: { joints: [], links: [], bodies: [], others: [] },
    selected: "arm",
    undo,
    redo: null,
  };
}

const titled =
  (suffix: string) =>
  (before: Project): Project => ({ ...before, title: before.title + suffix });

let server: Server;
beforeEach(() => (server = new Server()));

describe("edits", () => {
  test("are sent with the revision that they were made from", async () => {
    const done = server.editor.edit("title", titled("!"), false);
    expect(server.edits).toMatchObject([
      { label: "title", revision: 1, changes: [{ path: ["title"], value: "Untitled!" }] },
    ]);
    server.accept();
    expect(await done).toBeNull();
  });

  test("wait for each other, and each is made from the newest document", async () => {
    const first = server.editor.edit("a", titled("a"), false);
    const second = server.editor.edit("b", titled("b"), false);
    expect(server.edits).toHaveLength(1);
    server.accept();
    expect(server.edits).toHaveLength(2);
    expect(server.edits[1]).toMatchObject({
      label: "b",
      revision: 2,
      changes: [{ path: ["title"], value: "Untitledab" }],
    });
    server.accept();
    expect(await Promise.all([first, second])).toEqual([null, null]);
  });

  test("of one kind that wait together become one", async () => {
    const all = ["1", "2", "3"].map((suffix) => server.editor.edit("size", titled(suffix), false));
    server.accept();
    expect(server.edits).toHaveLength(2);
    server.accept();
    expect(server.document.project.title).toBe("Untitled123");
    expect(await Promise.all(all)).toEqual([null, null, null]);
  });

  test("of one pull join: the first is a step of its own, the others go on with it", async () => {
    const first = server.editor.edit("length", titled("1"), true);
    const second = server.editor.edit("length", titled("2"), true, true);
    const third = server.editor.edit("length", titled("3"), true, true);
    expect(server.edits.map((edit) => edit.coalesce)).toEqual([false]);
    server.accept();
    expect(server.edits.map((edit) => edit.coalesce)).toEqual([false, true]);
    server.accept();
    expect(await Promise.all([first, second, third])).toEqual([null, null, null]);
    expect(server.document.project.title).toBe("Untitled123");
  });

  test("that begin a new pull do not become one with a waiting edit of the last", () => {
    void server.editor.edit("length", titled("1"), true);
    void server.editor.edit("length", titled("2"), true, true);
    void server.editor.edit("length", titled("3"), true);
    server.accept();
    server.accept();
    expect(server.edits.map((edit) => edit.coalesce)).toEqual([false, true, false]);
    server.accept();
    expect(server.document.project.title).toBe("Untitled123");
  });

  test("that come too late are made again from the newer document", async () => {
    const done = server.editor.edit("mine", titled(" mine"), false);
    server.tell(document({ ...PROJECT, title: "theirs" }, 2, "theirs"));
    expect(server.refuse("stale")).toBe(true);
    expect(server.edits[1]).toMatchObject({
      revision: 2,
      changes: [{ path: ["title"], value: "theirs mine" }],
    });
    server.accept();
    expect(await done).toBeNull();
  });

  test("that are refused say why, and the next one goes on", async () => {
    const bad = server.editor.edit("bad", titled("x"), true);
    const good = server.editor.edit("good", titled("y"), false);
    expect(server.refuse("overlap_at_start")).toBe(true);
    const failure: Failure | null = await bad;
    expect(failure?.code).toBe("overlap_at_start");
    expect(server.edits[1]).toMatchObject({
      label: "good",
      changes: [{ path: ["title"], value: "Untitledy" }],
    });
    server.accept();
    expect(await good).toBeNull();
  });

  test("that change nothing are not sent", async () => {
    expect(await server.editor.edit("nothing", (before) => before, false)).toBeNull();
    expect(server.edits).toHaveLength(0);
  });

  test("that the server takes for no change are done", async () => {
    const done = server.editor.edit("same", (before) => ({ ...before }), false);
    server.tell(server.document);
    expect(await done).toBeNull();
  });

  test("without a server fail at once, and do not wait for ever", async () => {
    const first = server.editor.edit("a", titled("a"), false);
    server.isThere = false;
    const second = server.editor.edit("b", titled("b"), false);
    server.editor.onLost();
    const failures = await Promise.all([first, second]);
    expect(failures.map((failure) => failure?.code)).toEqual(["network", "network"]);
  });

  test("another command's failure is not theirs", () => {
    void server.editor.edit("a", titled("a"), false);
    expect(
      server.editor.onFailed({
        type: "failed",
        command: "play",
        arm: "arm",
        code: "nothing_held",
        message: "",
        step: null,
        line: null,
        parameters: {},
      }),
    ).toBe(false);
  });
});

test("another arm takes with it what was made for another number of joints", () => {
  const seen = seenBy("arm", PROJECT);
  if (seen === null) throw new Error("there is no such arm");
  const before: ProjectOfArm = {
    ...seen,
    poses: [
      { id: "a", name: "six", q: [0, 0, 0, 0, 0, 0], on: null },
      { id: "b", name: "seven", q: [0, 0, 0, 0, 0, 0, 0], on: null },
    ],
    sensors: (["link", "body"] as const).map((on) => ({
      id: on,
      on,
      link: "box",
      preset: "ideal",
      pose: [0, 0, 0, 0, 0, 0] as const,
      kind: "imu" as const,
      rate: 60,
      latency: null,
      noise: 0,
      seed: null,
    })),
    plan: {
      kind: "joint",
      points: [[0, 0, 0, 0, 0, 0]],
      scheme: "smooth",
      times: null,
      duration: null,
      ends: null,
      speed: 100,
    },
  };
  const after = withArm(before, "franka-panda", 7);
  expect(after.sensors.map(({ on }) => on)).toEqual(["body"]);
  expect(after.arm).toEqual(plainArm("franka-panda"));
  expect(after.poses.map((pose) => pose.name)).toEqual(["seven"]);
  expect(after.plan).toBeNull();
  const placed = { ...before, arm: { ...before.arm, base: [0, 0, 750, 90, 0, 0] as const } };
  expect(withArm(placed, "franka-panda", 7).arm.base).toEqual([0, 0, 750, 90, 0, 0]);
  expect(withArm(before, "kuka-kr6-r700", 6).plan).toBeNull(); // it was made for the old arm
});
