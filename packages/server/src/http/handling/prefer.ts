import type { IncomingHttpHeaders } from 'node:http';

/** True if the caller requests errors instead of warnings: `Prefer: handling=strict` (RFC 7240). */
export function prefersStrict({ prefer }: IncomingHttpHeaders): boolean {
  if (prefer === undefined) return false;
  const preferences = [prefer].flat().join(',').split(',');
  // If a preference is repeated, the first one applies.
  const handling = preferences.map(nameAndValue).find(([name]) => name === 'handling');
  return handling?.[1] === 'strict';
}

/** A preference without its parameters; the value may be quoted. */
function nameAndValue(preference: string): readonly string[] {
  const [token = ''] = preference.split(';');
  return token.split('=').map((part) =>
    part
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
}
