import type { IncomingHttpHeaders } from 'node:http';

/** True when the caller asks for an error instead of a warning: `Prefer: handling=strict` (RFC 7240). */
export function prefersStrict({ prefer }: IncomingHttpHeaders): boolean {
  if (prefer === undefined) return false;
  const preferences = [prefer].flat().join(',').split(',');
  // Of a preference that is given more than once, the first counts.
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
