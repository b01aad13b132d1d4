import { Problem } from '@millrace/core';
import { expect, test } from 'vitest';
import { createLogTo } from './log.ts';

test('lines about a database that cannot be used are written once a minute, with the number of those left out', () => {
  const lines: { msg: string; suppressed?: number }[] = [];
  let now = 0;
  const log = createLogTo({ write: (line) => void lines.push(JSON.parse(line)) }, 'info', { monotonic: () => now });
  const err = new Problem('store_unavailable', 'The database cannot write now: its disk is full.');
  for (let second = 0; second < 120; second += 1) {
    now = second * 1000;
    for (let call = 0; call < 50; call += 1) log.warn({ err }, `failure ${call}`);
  }
  log.warn({ err: new Error('another') }, 'other failure');
  expect(lines.map(({ msg, suppressed }) => [msg, suppressed])).toEqual([
    ['failure 0', undefined],
    ['failure 0', 2999],
    ['other failure', undefined],
  ]);
});
