/** A text file for an archive. */
export interface ArchivedText {
  readonly name: string;
  readonly text: string;
}

/** The polynomial of CRC-32 that ZIP uses, with its bits reversed. */
const polynomial = 0xedb88320;

function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Little-endian integers of 2 or 4 bytes. */
function packed(...fields: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([size, value]) => Array.from({ length: size }, (_, index) => (value >>> (8 * index)) & 0xff)),
  );
}

/** The names are UTF-8. */
const utf8Names = 0x0800;
/** 1 January 1980, the first day of ZIP: a file's own time would make each export different. */
const firstDay = 0x21;

/** A ZIP archive whose files are stored as they are: texts of workflows are small. */
export function zipOf(files: readonly ArchivedText[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const [path, bytes] = [encoder.encode(name), encoder.encode(text)];
    const common = [
      [2, 20],
      [2, utf8Names],
      [2, 0],
      [2, 0],
      [2, firstDay],
      [4, checksum(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, path.length],
      [2, 0],
    ] as const;
    const header = packed([4, 0x04034b50], ...common);
    local.push(header, path, bytes);
    central.push(packed([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path);
    offset += header.length + path.length + bytes.length;
  }
  const size = central.reduce((sum, { length }) => sum + length, 0);
  const n = files.length;
  const end = packed([4, 0x06054b50], [2, 0], [2, 0], [2, n], [2, n], [4, size], [4, offset], [2, 0]);
  return joined([...local, ...central, end]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
