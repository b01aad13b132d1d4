import { expect, test } from 'vitest';
import { zipOf } from './zip.ts';

/** Reads the archive from its directory, as programs do. */
function unzipped(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer);
  const end = bytes.length - 22;
  expect(view.getUint32(end, true)).toBe(0x06054b50);
  const found: Record<string, string> = {};
  const checksums: number[] = [];
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < view.getUint16(end + 10, true); index += 1) {
    const [crc, size] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true)];
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.slice(at + 46, at + 46 + nameLength));
    const start = view.getUint32(at + 42, true) + 30 + nameLength;
    const content = bytes.slice(start, start + size);
    checksums.push(crc);
    found[name] = new TextDecoder().decode(content);
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return { found, checksums };
}

test.each([
  [{}],
  [{ 'one.yaml': 'name: One\n' }],
  [{ 'a.yaml': '', 'größe.yaml': 'name: Ü\n'.repeat(5000), 'c.yaml': 'x' }],
])('an archive contains each file with its text', (files) => {
  expect(unzipped(zipOf(Object.entries(files).map(([name, text]) => ({ name, text })))).found).toEqual(files);
});

test('an archive contains the checksum of each file', () => {
  // The check value in the definition of CRC-32.
  expect(unzipped(zipOf([{ name: 'a', text: '123456789' }])).checksums).toEqual([0xcbf43926]);
});
