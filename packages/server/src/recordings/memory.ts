import { isArray, isObject, type Json, type SlicedWork } from '@millrace/core';

/** Bytes of an object or a list without its items, of one place in it, and of a text or number. */
const bytesPer = { container: 64, place: 24, plain: 24 } as const;

/** Values that are counted before a pause: some milliseconds. */
const valuesAtOnce = 20_000;

/** About how many bytes of memory JSON takes. Many small objects take much more than their text. */
export function* memoryOf(values: readonly Json[]): SlicedWork<number> {
  const open: Json[] = [...values];
  let bytes = 0;
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const items = isArray(value) ? value : isObject(value) ? Object.values(value) : null;
    if (items === null) bytes += bytesPer.plain + (typeof value === 'string' ? 2 * value.length : 0);
    else {
      bytes += bytesPer.container + items.length * bytesPer.place;
      for (const item of items) open.push(item);
    }
    count += 1;
    if (count % valuesAtOnce === 0) yield;
  }
  return bytes;
}
