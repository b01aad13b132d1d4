import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const packages = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');

/** Rows with a figure and its constant: `server/http`: `maxConnections`. */
const rows = page.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, room, name] = /^`([\w/]+)`: `(\w+)`$/.exec(cells[4] ?? '') ?? [];
  return room === undefined || name === undefined ? [] : [{ limit: cells[1], figure: cells[2] ?? '', room, name }];
});

const units = new Map([
  ['KiB', 1024],
  ['MiB', 1024 * 1024],
  ['s', 1000],
  ['min', 60_000],
]);

/** `64 KiB` is 65536; times are in milliseconds. */
function read(figure: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+) ?(\w*)$/.exec(figure) ?? [];
  return Number(digits.replaceAll(',', '')) * (units.get(unit) ?? 1);
}

/** The value of a constant in the files of a folder. */
function setIn(room: string, name: string): number[] {
  const [first = '', ...rest] = room.split('/');
  const folder = join(packages, first, 'src', ...rest);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const values = sources.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(
      new RegExp(`\\b${name}(?: =|:) ([\\d_]+(?: (?:\\*|<<) [\\d_]+)*)[;,\\s]`, 'g'),
    ),
  ]);
  return values.map(([, product = '']) => evaluate(product));
}

/** `64 * 1024`, `1 << 20`. */
function evaluate(product: string): number {
  const [first = 0, second = 0] = product.split('<<').map((text) => Number(text.replaceAll('_', '')));
  if (product.includes('<<')) return first << second;
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

describe('the page of limits', () => {
  test.each(rows)('matches the code: $limit, $figure', ({ figure, room, name }) => {
    const isInSeconds = figure.endsWith(' s') && !name.endsWith('Ms') && room === 'components';
    expect(setIn(room, name)).toContain(isInSeconds ? read(figure) / 1000 : read(figure));
  });

  test('still has all its former rows', () => {
    expect(rows.length).toBeGreaterThan(35);
  });
});
