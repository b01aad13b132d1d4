import type { FieldIssue, Problem } from '@millrace/core';

/** A Problem as one sentence, for callers without a request whose fields it could name. */
export function sentenceOf({ detail }: Problem): string {
  if (typeof detail === 'string') return detail;
  const words = 'validation_errors' in detail ? detail.validation_errors : detail.map(wordsOf);
  return `${words.join('; ').replace(/\.$/, '')}.`;
}

/** The position and the error: `payload at /amount must be a number`. */
function wordsOf({ loc: [root, ...keys], msg }: FieldIssue): string {
  const pointer = keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  return `${root}${keys.length === 0 ? '' : ` at /${pointer}`} ${msg}`;
}
