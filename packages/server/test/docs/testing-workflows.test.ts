import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tested } from '../workflow-tests/tested-files.ts';

const page = readFileSync(new URL('../../../../docs/testing-workflows.md', import.meta.url), 'utf8');

/** The page's files, each named in its first line. */
const files = Object.fromEntries(
  [...page.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
);
const reports = [...page.matchAll(/```text\n([\s\S]*?)```/g)].map(([, text = '']) => text);

it('the page on testing workflows shows the actual output of its examples', async () => {
  expect(reports.length).toBeGreaterThan(0);
  for (const report of reports) {
    const [name = ''] = report.split('\n');
    const { out, notes } = await tested(files, [name]);
    expect([...out, '', ...notes]).toEqual(report.split('\n'));
  }
});
