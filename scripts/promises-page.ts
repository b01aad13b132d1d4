import { readFileSync } from 'node:fs';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import { promises } from '../packages/server/test/promises/promises.ts';
import { type Released, releasedFile } from '../packages/server/test/promises/released.ts';

/** `docs/promises.md`: what the service promises, and the figures of the last tests at full size. */
export function promisesPage(): string {
  const released = JSON.parse(readFileSync(new URL(`../${releasedFile}`, import.meta.url), 'utf8')) as Released;
  const linked = (path: string): string => `[${path.split('/').at(-1)}](../${path})`;
  return `# Promises

Each promise is a sentence with a figure and a test that measures it. \`npm test\` runs every one of
these tests at a size that takes seconds. This command runs them alone and prints what was promised
and what was reached:

\`\`\`sh
npm run promises
\`\`\`

Before a release they run at full size, one after the other, which takes more than an hour. Ids select
some of them:

\`\`\`sh
npm run promises -- --release
npm run promises -- --release P3 P11
\`\`\`

${table(
  ['', 'promise', 'in every check', 'before a release', 'tests'],
  promises.map(({ id, text, tests, ci, release }) => [
    `**${id}**`,
    text,
    ci.figure,
    release.figure,
    tests.map(linked).join(', '),
  ]),
)}

## Figures reached at full size

A machine with 2 cores. Figures in milliseconds depend on the machine; the others do not.

${table(
  ['', 'reached', 'on'],
  promises.map(({ id }) => [
    `**${id}**`,
    released[id]?.reached ?? 'not run yet at full size',
    released[id]?.date ?? '',
  ]),
)}
`;
}
