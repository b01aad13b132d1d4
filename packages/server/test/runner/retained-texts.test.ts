import { compileConfig, type Json, Meter, parseOutput, resolveConfig, runThrough, textStart } from '@millrace/core';
import { expect, test } from 'vitest';
import { capture } from '../../src/ground/regex.ts';
import { heapInUse } from '../support/heap.ts';

const resolved = (config: string, text: string): Json =>
  resolveConfig(compileConfig(config), { lookup: () => text, names: () => ['text'] });
const answered = (config: Parameters<typeof parseOutput>[0], text: string): Json =>
  runThrough(parseOutput(config, text, { meter: new Meter(() => 0), capture, schemaIssue: () => null }));

const tail = 'y'.repeat(200_000);

/** Ways to get a short part of a long text, whose first line has 19 or 20 characters. */
const cuts: readonly (readonly [string, (text: string) => unknown])[] = [
  ['a part [from:to]', (text) => resolved('{{ text[0:20] }}', text)],
  ['the start of a split text', (text) => resolved("{{ (text | split('\\n'))[0] }}", text)],
  ['the first word', (text) => resolved('{{ (text | split)[0] }}', text)],
  ['a truncated text', (text) => resolved('{{ text | truncate(20) }}', text)],
  ['a trimmed text', (text) => resolved("{{ text | trim('y0123456789') }}", text)],
  ['a part in a longer text', (text) => resolved('The order {{ text[0:20] }} left.', text)],
  ['a captured group', (text) => answered({ parser: 'regex', pattern: '^(.{19,20})\\n' }, text)],
  ['a named group', (text) => answered({ parser: 'regex', pattern: '^(?P<id>.{19,20})\\n' }, text)],
  ['an item of a list', (text) => [answered({ parser: 'list' }, text)].flat()[0]],
  ['the beginning', (text) => textStart(text, 20)],
];

test.each(cuts)('%s does not retain the whole text', (_name, cut) => {
  const before = heapInUse();
  const parts = Array.from({ length: 50 }, (_, index) => cut(`${index} ${'x'.repeat(17)}\n${tail}${index}`));
  // The whole texts have 10 MB.
  expect(heapInUse() - before).toBeLessThan(1_500_000);
  expect(parts).toHaveLength(50);
});
