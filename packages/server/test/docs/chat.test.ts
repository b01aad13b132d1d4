import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { report } from '../workflow-tests/tested-files.ts';

const page = readFileSync(new URL('../../../../docs/chat.md', import.meta.url), 'utf8');
const [text = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);

it('the page on chats has an agent that answers, and remembers nothing in a test', async () => {
  expect(text).toContain('memory:');
  const tests = `
tests:
  - name: A question
    text: Where is order 1042?
    models: [{node: answer, input: Where is order 1042?, answer: It left this morning.}]
    expect: {final_output: It left this morning.}
`;
  expect(await report(text, tests)).toEqual(['  ok    A question']);
});
