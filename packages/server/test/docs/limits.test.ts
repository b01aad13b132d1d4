import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const packages = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');

/** Rows with a figure and its constant: `server/http`: `maxConnections`. */
const rows = page.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, room, name] = /^`([\w/]+)`: `(\w+)`$/.exec(cells[4] ?? '') ?? [];
  return room === undefined || name === undefined ? [] : [{ limit: cells[1], figure: cells[2] ?? '', room, name }];
});

/**
 * Limits of the work in one turn or one attempt, of what a message shows, and of lists that no client notices. Any other
 * constant with such a name has a row.
 */
const unnoticed: ReadonlySet<string> = new Set([
  'components/agent/agent-turns.ts: maxShownResult',
  'components/agent/parsed-answer.ts: maxStoredLength',
  'components/mcp/tool-result.ts: maxReport',
  'components/mcp/server-tools.ts: maxNameLength',
  'components/question/forced-answer.ts: maxStoredLength',
  'components/trigger-schedule.ts: maxKnownZones',
  'core/base/texts/listed-names.ts: mostListed',
  'core/base/name-count.ts: maxProbes',
  'core/base/nearest.ts: mostEdits',
  'core/base/nearest.ts: mostCandidates',
  'core/base/nearest.ts: maxCompared',
  'core/base/nearest.ts: maxComparisons',
  'core/dsl/reader.ts: maxSuggestions',
  'core/dsl/yaml/yaml-parse.ts: maxIssues',
  'core/engine/advance.ts: maxShownArguments',
  'core/engine/position.ts: mostNamed',
  'core/expression/config/template.ts: maxIssues',
  'core/expression/missing.ts: mostListedKeys',
  'core/validation/possible-runs.ts: maxCombinations',
  'core/validation/possible-runs.ts: maxDecisions',
  'core/validation/validate-gathered.ts: maxTriggers',
  'core/validation/validate-settings.ts: maxTimetables',
  'core/validation/validate-settings.ts: maxFruitless',
  'core/validation/validate.ts: maxCycles',
  'server/ground/clock-past.ts: maxPeriods',
  'server/ground/clock.ts: longestTimeout',
  'server/ground/regex.ts: maxTextLength',
  'server/http/handling/unknown-names.ts: maxNamed',
  'server/http/handling/unknown-names.ts: maxShown',
  'server/http/plumbing/query-keys.ts: maxNoted',
  'server/live/token-batches.ts: maxBatch',
  'server/mcp/failures.ts: maxReason',
  'server/mcp/outbound-fetch.ts: maxShownText',
  'server/mcp/outbound-fetch.ts: maxInvalidText',
  'server/models/model-list.ts: maxIdLength',
  'server/models/provider-error.ts: maxMessage',
  'server/models/provider-error.ts: maxErrorBytes',
  'server/process/memory-return.ts: mostLiveBytes',
  'server/runner/pace.ts: maxRunsPerTurn',
  'server/runner/run/active-run.ts: maxFactsAhead',
  'server/recordings/difference.ts: mostCharacters',
  'server/runner/run/active-run.ts: maxSizeAhead',
  'server/runner/run/journal-tail.ts: maxRejections',
  'server/runner/wake-ups.ts: longestSleepMs',
  'server/sandbox/sandbox-process.ts: maxLines',
  'server/secrets/masking/secret-search.ts: maxWasted',
  'server/secrets/present-key.ts: maxTries',
  'server/services/acceptance/rejected-starts.ts: maxEntries',
  'server/services/access/authentication.ts: maxKnown',
  'server/services/access/authentication.ts: maxForgotten',
  'server/services/credentials/credentials.ts: maxTries',
  'server/services/executions/retries.ts: mostTries',
  'server/services/triggers/error-handlers.ts: maxAncestors',
  'server/services/triggers/subworkflow-start.ts: maxToolDescription',
  'server/services/triggers/scheduler.ts: longestSleepMs',
  'server/services/validation/callees.ts: maxLookups',
  'server/services/validation/payload-checks.ts: maxSchemas',
  'server/services/validation/payload-checks.ts: maxWork',
  'server/services/validation/schema-messages.ts: maxShown',
  'server/services/variables/variables.ts: maxTries',
  'server/services/workflows/graphs.ts: maxTries',
  'server/store/sql/database/log/checkpoints.ts: maxPasses',
  'server/store/sql/database/log/log-limits.ts: maxTransactionMs',
  'server/store/sql/database/writer.ts: maxUnits',
  'server/store/sql/database/writer.ts: maxWaits',
  'server/store/sql/executions/claim.ts: maxExamined',
  'server/store/sql/executions/deletion-budget.ts: maxDeletedBytes',
  'server/store/sql/executions/execution-list.ts: mostSorted',
  'server/store/sql/executions/journal.ts: maxRowLength',
  'server/store/sql/executions/execution-query.ts: maxLikeLength',
  'server/store/sql/queue/queue-positions.ts: maxKnown',
  'server/store/sql/sqlite.ts: maxRewriteBytes',
  'server/store/sql/variables/known-sets.ts: maxKnown',
  'server/store/sql/workflows/edge-index.ts: maxWaiting',
  'server/store/sql/workflows/schedule-table.ts: maxSetBackMs',
]);

/** Folders whose code does not run in the service. */
const outside = /\/workflow-tests\/|\/testsuite\//;

/** All constants that are named like a limit, as `server/http/file.ts: maxThings`. */
function namedLikeLimits(): string[] {
  const files = ['components', 'contract', 'core', 'server'].flatMap((name) => sourcesIn(name));
  return files.flatMap(({ place, text }) =>
    [...text.matchAll(/^(?:export )?const ((?:max|most|largest|longest)[A-Z]\w*) = \d/gm)].map(
      ([, name]) => `${place}: ${name}`,
    ),
  );
}

function sourcesIn(name: string): { readonly place: string; readonly text: string }[] {
  const folder = join(packages, name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => ({ file, place: `${name}/${file}` }))
    .filter(({ place }) => /(?<!\.test|\.testkit|\.testsuite|\.bench)\.ts$/.test(place) && !outside.test(place))
    .map(({ file, place }) => ({ place, text: readFileSync(join(folder, file), 'utf8') }));
}

const units = new Map([
  ['KiB', 1024],
  ['MiB', 1024 * 1024],
  ['s', 1000],
  ['min', 60_000],
]);

/** `64 KiB` is 65536; times are in milliseconds. */
function read(figure: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+) ?(\w*)$/.exec(figure) ?? [];
  return Number(digits.replaceAll(',', '')) * (units.get(unit) ?? 1);
}

/** The value of a constant in the files of a folder. */
function setIn(room: string, name: string): number[] {
  const [first = '', ...rest] = room.split('/');
  const folder = join(packages, first, 'src', ...rest);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const values = sources.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(
      new RegExp(`\\b${name}(?: =|:) ([\\d_]+(?: (?:\\*\\*?|<<) [\\d_]+)*)[;,\\s]`, 'g'),
    ),
  ]);
  return values.map(([, product = '']) => evaluate(product));
}

/** `64 * 1024`, `1 << 20`, `2 ** 31`. */
function evaluate(product: string): number {
  if (product.includes('**')) {
    const [base = 0, exponent = 0] = product.split('**').map(Number);
    return base ** exponent;
  }
  const [first = 0, second = 0] = product.split('<<').map((text) => Number(text.replaceAll('_', '')));
  if (product.includes('<<')) return first << second;
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

describe('the page of limits', () => {
  test.each(rows)('matches the code: $limit, $figure', ({ figure, room, name }) => {
    const isInSeconds = figure.endsWith(' s') && !name.endsWith('Ms') && room === 'components';
    expect(setIn(room, name)).toContain(isInSeconds ? read(figure) / 1000 : read(figure));
  });

  test('has a row for every limit in the code', () => {
    const limits = namedLikeLimits();
    const missing = limits.filter((limit) => {
      const [place = '', limitName] = limit.split(': ');
      return !rows.some(({ room, name }) => name === limitName && place.startsWith(`${room}/`));
    });
    expect(missing.filter((limit) => !unnoticed.has(limit))).toEqual([]);
    // An entry that no longer exists, or has a row, is removed.
    expect([...unnoticed].filter((limit) => !missing.includes(limit))).toEqual([]);
  });
});
