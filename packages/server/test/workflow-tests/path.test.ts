import { expect, it } from 'vitest';
import { report } from './tested-files.ts';

it('the path contains each node once, in the order of their starts, and no node that waits for a confirmation to start', async () => {
  const flow = `
name: Path
nodes:
  - {id: start, type: trigger_manual}
  - {id: each, type: loop, items: [1, 2, 3]}
  - {id: odd, type: switch, expression: "loop.item % 2"}
  - {id: double, type: transform, fields: {n: "{{ loop.item * 2 }}"}}
  - {id: never, type: transform, fields: {n: 0}}
  - {id: last, type: template, template: "{{ each.results | length }}", interrupt_before: true}
edges:
  - start -> each
  - each -loop_body-> odd
  - odd -[1]-> double
  - odd -[7]-> never
  - double -loop_return-> each
  - never -loop_return-> each
  - each -> last
`;
  const tests = `
tests:
  - name: waits
    expect: {status: interrupted, path: [start, each, odd, double], skipped: [never], outputs: {"each[2]/double": {output: {n: 6}}}}
  - name: goes on
    answers: [{node: last, confirmed: true}]
    expect: {path: [start, each, odd, double, last], final_output: "3"}
  - name: names no port
    expect: {status: interrupted, outputs: {"each[0]/double": {n: 2}}}
`;
  expect(await report(flow, tests)).toEqual([
    '  ok    waits',
    '  ok    goes on',
    '  FAIL  names no port (line 9)',
    '          outputs.each[0]/double.n',
    '            expected 2',
    '            actual   nothing: its ports are output',
  ]);
});
