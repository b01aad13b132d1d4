import { get } from './request-cases.ts';
import type { Dice, MakeCase } from './stall-case.ts';

const paths = [
  '/api/v1/executions/',
  '/api/v1/workflows/',
  '/api/v1/credentials/',
  '/api/v1/variables/',
  '/api/v1/schedules/',
  '/api/v1/workflows/{{ slug }}/versions/',
  '/api/v1/webhooks/{{ slug }}',
] as const;

function queryOf(dice: Dice): string {
  // The headers of a request have at most 16 KiB.
  const size = dice.size(1000, 15_000);
  const repeated = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  return dice.pick<() => string>([
    () => repeated('a=1&'),
    () => repeated('a&'),
    () => repeated('&'),
    () => repeated('=').slice(0, size),
    () => `q=${repeated('a')}`,
    () => `q=${repeated('%41')}`,
    () => `q=${repeated('%')}`,
    () => `since=${'9'.repeat(size)}`,
    () => `limit=${'9'.repeat(size)}`,
    () => Array.from({ length: size / 12 }, (_, index) => `offst${index}=1`).join('&'),
    () => Array.from({ length: size / 12 }, (_, index) => `q[${index}]=1`).join('&'),
    () => `api_key=${repeated('a')}`,
  ])();
}

/** Long queries of lists and of a webhook. */
const queries: MakeCase = (dice) => {
  const [path, query] = [dice.pick(paths), queryOf(dice)];
  return get(`query of ${path}: ${query.slice(0, 12)}…`, [`${path}?${query}`]);
};

/** Long parts of a path. */
const longPaths: MakeCase = (dice) => {
  const part = dice.pick(['a', '%41', '9', '-', '_', '%2F', '%']).repeat(dice.size(500, 4000));
  const path = dice.pick(['/api/v1/workflows/', '/api/v1/executions/', '/docs/static/', '/', '/api/v1/webhooks/']);
  return get(`path ${path}${part.slice(0, 6)}…`, [`${path}${part}/`]);
};

/** Addresses of requests. */
export const queryCases: readonly MakeCase[] = [queries, longPaths];
