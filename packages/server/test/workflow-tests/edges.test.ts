import { expect, it } from 'vitest';
import { report } from './tested-files.ts';

const url = 'http://other.test/in';
const post = `{id: a, type: http, method: POST, url: "${url}", body: "{{ before.filtered }}"}`;

it.each([
  ['a request with its own url', post, `http: [{request: {method: POST, url: "${url}", body: [1, 2]}, response: {}}]`],
  ['a question with its own prompt', '{id: a, type: human, prompt: Go on?}', 'answers: [{node: a, confirmed: true}]'],
  ['an agent with its own input', '{id: a, type: agent, input: Hi, model: m}', 'models: [{input: Hi, answer: Ho}]'],
])('a list may be connected to %s, which does not use it', async (_what, target, recorded) => {
  const workflow = `
name: Edges
trigger: manual
steps:
  - {id: before, type: filter}
  - ${target}
`;
  const tests = `tests: [{name: t, payload: [1, 2], ${recorded}, expect: {path: [start, before, a]}}]`;
  expect(await report(workflow, tests)).toEqual(['  ok    t']);
});
