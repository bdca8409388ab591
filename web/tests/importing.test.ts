/** Bringing an arm: files become one zip, and units a scale. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOfField, packedUp, Unsendable } from "../src/importing/given";
import { ownUnit, placeOf, scaleOf } from "../src/importing/state";
import { crc32, zipped } from "../src/importing/zip";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe("zips", () => {
  it("have the checksum that the standard gives as its example", () => {
    expect(crc32(bytes("123456789"))).toBe(0xcbf43926);
  });

  it("are read by another program, with folders and names in any letters", () => {
    const parts = zipped([
      { path: "arm/рука.urdf", bytes: bytes("<robot/>") },
      { path: "arm/meshes/empty.stl", bytes: bytes("") },
    ]);
    const file = join(mkdtempSync(join(tmpdir(), "armlab-")), "arm.zip");
    writeFileSync(file, Buffer.concat(parts));
    const script =
      "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip()); print(z.namelist()); print(z.read('arm/рука.urdf'))";
    const told = execFileSync("python3", ["-c", script, file], { encoding: "utf8" });
    expect(told).toBe("None\n['arm/рука.urdf', 'arm/meshes/empty.stl']\nb'<robot/>'\n");
  });
});

describe("what is given", () => {
  it("is one file by its name, or a folder in which the server looks", async () => {
    const one = await packedUp(filesOfField([new File(["<robot/>"], "arm.urdf")]));
    expect([one.name, one.file]).toEqual(["arm.urdf", "arm.urdf"]);
    const two = await packedUp([
      { path: "folder/arm.urdf", file: new File(["a"], "arm.urdf") },
      { path: "folder/C:x.stl", file: new File(["b"], "C:x.stl") },
    ]);
    expect([two.name, two.file]).toEqual(["folder", null]);
    expect(await two.body.text()).toContain("folder/C_x.stl");
  });

  it("is sent as it is if it is a zip, and not at all if there is nothing in it", async () => {
    const file = new File(["PK"], "Arm.ZIP");
    expect((await packedUp(filesOfField([file]))).body).toBe(file);
    await expect(packedUp([])).rejects.toBeInstanceOf(Unsendable);
  });
});

describe("readings", () => {
  it("scale lengths from the unit that a format has to the one that the reader names", () => {
    expect(scaleOf({ kind: "urdf" }, "mm")).toBeCloseTo(0.001, 12);
    expect(scaleOf({ kind: "dh" }, "m")).toBeCloseTo(1000, 9);
    expect(ownUnit("mjcf")).toBe("m");
  });

  it("say where a finding is", () => {
    expect(placeOf({ file: "arm.urdf", line: 12 })).toBe("arm.urdf:12");
    expect(placeOf({ link: "hand" })).toBe("");
  });
});
