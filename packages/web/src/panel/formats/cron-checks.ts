import type { Format } from '../../state/fields/field-draft.ts';
import { textOf } from './values.ts';

/** What the service said about patterns: why one is invalid, or null. It changes only with the rules of patterns. */
const known = new Map<string, string | null>();

/** Remembers whether a pattern is valid. Returns whether that is new. @param problem null if it is valid */
export function noteCronCheck(pattern: string, problem: string | null): boolean {
  if (known.get(pattern) === problem) return false;
  known.set(pattern, problem);
  return true;
}

/** A cron pattern. Only one that the service has checked is stored. */
export const cronFormat: Format = {
  read: (text) => {
    const pattern = text.trim();
    if (pattern === '') return { value: undefined };
    const problem = known.get(pattern);
    if (problem === null) return { value: pattern };
    return { problem: problem ?? 'The pattern is being checked.' };
  },
  show: textOf,
};
