import { anchorOf } from '../packages/server/src/http/reference/fields.ts';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import { namedTest } from '../packages/server/test/conformance/held.ts';
import type { Part } from '../packages/server/test/conformance/row.ts';

/** `docs/conformance.md`: what the interface and the engine promise, and the tests that hold it. */
export function conformancePage(parts: readonly Part[]): string {
  const count = parts.reduce((sum, { rows }) => sum + rows.length, 0);
  const list = parts.map(({ title, rows }) => `- [${title}](#${anchorOf(title.replaceAll(',', ''))}): ${rows.length}`);
  return `# What the interface and the engine say, and what holds it

${count} rows, each with the tests that fail when it does not hold. Ids that begin with \`spec.\` are the specification's own tables; those that
begin with \`interface.\` are what the specification leaves open; those that begin with \`engine.\` are how a workflow runs. A test fails when a row
names a test that is not there. What is still to come has no row: processes that only work or only serve, PostgreSQL, and the journal of an agent's calls.

${list.join('\n')}

${parts.map(partText).join('\n\n')}
`;
}

function partText({ title, rows }: Part): string {
  const lines = rows.map(({ id, says, tests }) => [`\`${id}\``, says, tests.map(testText).join('<br>')]);
  return `## ${title}\n\n${table(['row', 'what holds', 'held by'], lines)}`;
}

function testText(text: string): string {
  const { file, title } = namedTest(text);
  return `[${text.slice(0, text.indexOf(': '))}](../${file}): ${title}`;
}
