/** A zip that only packs, without compressing: how several files travel to the server as one. */

export interface ZipEntry {
  /** The path inside the zip: folders apart by "/". */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Names are UTF-8. */
const UTF8 = 0x0800;
const VERSION = 20;
/** 1 January 1980: the files' own times say nothing about an arm. */
const DATE = 0x0021;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/** Return the checksum that zips have of `bytes`. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Return a zip with `entries`, in parts that a Blob joins. */
export function zipped(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const { path, bytes } of entries) {
    const name = new TextEncoder().encode(path);
    const shared: readonly Field[] = [
      [2, VERSION],
      [2, UTF8],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ];
    parts.push(packed([[4, LOCAL], ...shared]), name, bytes);
    const rest: readonly Field[] = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, at],
    ];
    directory.push(packed([[4, CENTRAL], [2, VERSION], ...shared, ...rest]), name);
    at += 30 + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end: readonly Field[] = [
    [4, END],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, size],
    [4, at],
    [2, 0],
  ];
  return [...parts, ...directory, packed(end)];
}

type Field = readonly [bytes: 2 | 4, value: number];

function packed(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}
