import { Problem } from '@millrace/core';
import { expect, it } from 'vitest';
import { sentenceOf } from './problem-message.ts';

const issue = (loc: readonly (string | number)[], msg: string) => ({ type: 'x', loc, msg });

it.each([
  ['A sentence.', 'A sentence.'],
  [[issue(['payload', 'items', 0, 'a/b'], 'must be text.')], 'payload at /items/0/a~1b must be text.'],
  [[issue(['payload'], 'must be an object')], 'payload must be an object.'],
  [[issue(['a'], 'is wrong'), issue(['b', 'c'], 'is, too')], 'a is wrong; b at /c is, too.'],
  [{ validation_errors: ['One does not fit', 'another neither'] }, 'One does not fit; another neither.'],
])('a problem with %j is shown as one sentence', (detail, sentence) => {
  expect(sentenceOf(new Problem('invalid', detail))).toBe(sentence);
});
