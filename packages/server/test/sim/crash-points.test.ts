import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashPoints } from './crash-points.ts';

const runner = new URL('../../src/runner/', import.meta.url).pathname;
const isComment = /^\s*(\/\/|\/?\*)/;

/** The code of the runner by file, without comments. */
const sources = readdirSync(runner, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file): readonly [string, string] => {
    const lines = readFileSync(join(runner, file), 'utf8').split('\n');
    return [file, lines.filter((line) => !isComment.test(line)).join('\n')];
  });

/** `store.executions\n.append(` is `executions.append`. A subscription is not a call that can fail. */
const calls = sources.flatMap(([, text]) => {
  return [...text.matchAll(/\bstore\s*\.\s*(\w+)\s*\.\s*(\w+)\s*\(/g)].map(([, part, verb]) => `${part}.${verb}`);
});

test('every call of the store that the runner makes is a crash point', () => {
  expect([...new Set(calls)].sort()).toEqual([...crashPoints].sort());
});

test('the runner has no other access to the store', () => {
  const others = sources.flatMap(([file, text]) => {
    const uses = [...text.matchAll(/\bstore\s*\.\s*(\w+)(\s*\.\s*\w+\s*\()?/g)];
    // `store.ts` is the file name in an import.
    const isOther = ([, part, verb]: RegExpExecArray) => verb === undefined && part !== 'subscribe' && part !== 'ts';
    return uses.filter(isOther).map(([use]) => `${file}: ${use}`);
  });
  expect(others).toEqual([]);
});
