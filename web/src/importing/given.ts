/** What a person gave: files and folders, dropped or chosen, as one zip for the server. */

import { zipped, type ZipEntry } from "./zip";

export const MAX_BYTES = 100_000_000;
export const MAX_FILES = 5000;
const IGNORED: ReadonlySet<string> = new Set([".git", "__MACOSX", "node_modules", ".DS_Store"]);

export interface Given {
  /** What the dialog calls it. */
  readonly name: string;
  readonly body: Blob;
  /** The one file that was given; null where the server is to find the arm among several. */
  readonly file: string | null;
}

/** One file, and where it was in what was given. */
export interface GivenFile {
  readonly path: string;
  readonly file: File;
}

/** Why what was given cannot be sent: the key of a sentence. */
export class Unsendable extends Error {
  readonly key: "import.tooLarge" | "import.tooMany" | "import.empty";

  constructor(key: Unsendable["key"]) {
    super(key);
    this.key = key;
  }
}

/** Return all files of dropped entries, those in folders too. */
export async function filesOfEntries(entries: readonly FileSystemEntry[]): Promise<GivenFile[]> {
  const found: GivenFile[] = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    if (IGNORED.has(entry.name)) continue;
    if (isFile(entry)) found.push({ path: entry.fullPath.replace(/^\/+/, ""), file: await fileOf(entry) });
    else if (isFolder(entry)) waiting.push(...(await contentOf(entry)));
    if (found.length > MAX_FILES) throw new Unsendable("import.tooMany");
  }
  return found;
}

/** Return the files that a field of the system's own dialog holds. */
export function filesOfField(files: readonly File[]): GivenFile[] {
  const all = files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return all.filter(({ path }) => !path.split("/").some((part) => IGNORED.has(part)));
}

/** Return one zip with all files; a zip that was given alone is sent as it is. */
export async function packedUp(files: readonly GivenFile[]): Promise<Given> {
  const [first] = files;
  if (first === undefined) throw new Unsendable("import.empty");
  if (files.length > MAX_FILES) throw new Unsendable("import.tooMany");
  if (files.reduce((sum, { file }) => sum + file.size, 0) > MAX_BYTES)
    throw new Unsendable("import.tooLarge");
  if (files.length === 1 && /\.zip$/i.test(first.file.name))
    return { name: first.file.name, body: first.file, file: null };
  const entries = await Promise.all(
    files.map(async ({ path, file }): Promise<ZipEntry> => ({
      path: safePath(path),
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
  const name = files.length === 1 ? first.file.name : nameOf(files);
  return { name, body: new Blob(zipped(entries)), file: files.length === 1 ? safePath(first.path) : null };
}

/** Return what several files are called together: the folder that they are in, or the first one's name. */
function nameOf(files: readonly GivenFile[]): string {
  const [top, ...rest] = files[0]?.path.split("/") ?? [];
  return rest.length > 0 && top !== undefined ? top : (files[0]?.file.name ?? "");
}

/** Return a path that the server's reader of zips takes: characters that other systems read in their own way are gone. */
function safePath(path: string): string {
  return path.replace(/[\\:]/g, "_");
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function contentOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // a reader tells a hundred at a time
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...some);
    if (found.length > MAX_FILES) throw new Unsendable("import.tooMany");
  }
}
