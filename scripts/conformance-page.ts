import { anchorOf } from '../packages/server/src/http/reference/fields.ts';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import { namedTest } from '../packages/server/test/conformance/held.ts';
import type { Part } from '../packages/server/test/conformance/row.ts';

/** `docs/conformance.md`: the requirements of the interface and the engine, and the tests that cover them. */
export function conformancePage(parts: readonly Part[]): string {
  const count = parts.reduce((sum, { rows }) => sum + rows.length, 0);
  const list = parts.map(({ title, rows }) => [
    `[${title}](#${anchorOf(title.replaceAll(/[,:]/g, ''))})`,
    String(rows.length),
  ]);
  return `# Conformance

This page lists ${count} requirements and the tests that cover each of them. Ids that start with \`spec.\`
are from the tables of the specification, \`interface.\` covers what the specification leaves open, and
\`engine.\` covers how workflows run. A test fails if a row names a test that does not exist. Planned
features have no rows yet: separate worker and HTTP processes, PostgreSQL, and the journal of an
agent's calls.

${table(['part', 'requirements'], list)}

${parts.map(partText).join('\n\n')}
`;
}

function partText({ title, rows }: Part): string {
  const lines = rows.map(({ id, says, tests }) => [`\`${id}\``, says, tests.map(testText).join('<br>')]);
  return `## ${title}\n\n${table(['id', 'requirement', 'tests'], lines)}`;
}

function testText(text: string): string {
  const { file, title } = namedTest(text);
  return `[${text.slice(0, text.indexOf(': '))}](../${file}): ${title}`;
}
