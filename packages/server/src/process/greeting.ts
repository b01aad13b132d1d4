import { join } from 'node:path';
import { examplePayload } from '../services/setup/example.ts';
import type { FirstStart } from '../services/setup/first-start.ts';

/** A start, for the person who started the service. */
interface Started {
  /** The address that the service listens on. */
  readonly url: string;
  /** The public address; null if it is the same. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** Null if an admin can already use the API. */
  readonly first: FirstStart | null;
  /** The token of the setup link; null once somebody has logged in. */
  readonly setupToken: string | null;
}

/** The lines that a start prints, the most important one first. */
export function greetingOf({ url, publicUrl, dataDir, first, setupToken }: Started): readonly string[] {
  const reachable = publicUrl ?? withoutWildcard(url);
  const lines: string[] = [];
  if (setupToken !== null) lines.push(`Log in with this link: ${reachable}/setup#token=${setupToken}`);
  lines.push(`Millrace listens on ${url} (API documentation: ${reachable}/docs)`);
  if (first === null) return lines;
  if (first.keyIsNew) lines.push(`Admin key, shown only now and stored in ${join(dataDir, 'admin.key')}: ${first.key}`);
  const key = first.keyIsNew ? first.key : '$MILLRACE_API_KEY';
  const fields = Object.entries(examplePayload).map(([name, value]) => `-d ${name}=${value}`);
  const target = `${reachable}/api/v1/webhooks/${first.exampleSlug}`;
  lines.push('Try the example workflow:', `  curl -H "Authorization: Bearer ${key}" ${fields.join(' ')} ${target}`);
  return lines;
}

/** The address of this machine instead of one that stands for all addresses, which not every browser opens. */
function withoutWildcard(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
