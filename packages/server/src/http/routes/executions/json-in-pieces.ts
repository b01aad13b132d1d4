import { setImmediate as nextTurn } from 'node:timers/promises';

/** Writing as many characters takes a few milliseconds, in an object with very many names. */
const pieceLength = 100_000;

/**
 * The JSON of an object, written field by field, and its lists item by item. Other requests are served after each large
 * part.
 */
export async function jsonInPieces(object: object): Promise<string> {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? `[${(await written(value)).join(',')}]` : (await written([value]))[0];
    fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

async function written(values: readonly unknown[]): Promise<readonly string[]> {
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = JSON.stringify(value) ?? 'null';
    texts.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    length = 0;
    await nextTurn();
  }
  return texts;
}
