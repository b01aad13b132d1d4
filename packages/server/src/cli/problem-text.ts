import type { Problem } from '@millrace/core';

/** What a Problem says, as lines for a terminal. */
export function problemText({ detail }: Problem): string {
  if (typeof detail === 'string') return detail;
  if ('validation_errors' in detail) return detail.validation_errors.join('\n');
  return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('\n');
}
