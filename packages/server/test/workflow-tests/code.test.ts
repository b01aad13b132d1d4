import { expect, it } from 'vitest';
import { report } from './tested-files.ts';

// The first script starts a process of the sandbox.

it('code of a workflow runs in the sandbox, while the virtual time stands still', async () => {
  const flow = `
name: Code
trigger: manual
steps:
  - {id: sum, type: code, code: "let sum = 0; for (let i = 0; i < 3e7; i += 1) sum += 1; return sum + input.add"}
  - {id: at, type: datetime, operation: now}
`;
  const tests = `
tests:
  - {name: sums, payload: {add: 1}, expect: {outputs: {sum: {output: 30000001}, at: {result: "2026-01-01T00:00:00.000Z"}}}}
  - {name: fails, payload: null, expect: {error: {node: sum, code: code_output}}}
`;
  expect(await report(flow, tests)).toEqual(['  ok    sums', '  ok    fails']);
});

it('code sees the time of the test, and gets the same random numbers each time', async () => {
  const flow = `
name: Code
trigger: manual
steps:
  - {id: day, type: wait, duration: 1, unit: days}
  - {id: at, type: code, code: "return new Date().toISOString()"}
  - {id: each, type: loop, over: "{{ [1, 1] }}", body: [{id: draw, type: code, code: "return Math.random()"}]}
`;
  const expected = (draws: string) => `
tests:
  - {name: draws, payload: null, expect: {outputs: {at: {output: "2026-01-02T00:00:00.000Z"}, each: {results: ${draws}}}}}
`;
  const [, drawn = ''] = /actual +(\[.*\])/s.exec((await report(flow, expected('null'))).join('\n')) ?? [];
  expect(await report(flow, expected(drawn))).toEqual(['  ok    draws']);
});
