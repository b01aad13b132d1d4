import { describe, expect, it } from 'vitest';
import { report } from './tested-files.ts';

const two = `
name: Two agents
trigger: manual
model: {model_name: small, credential: main}
steps:
  - id: sort
    type: agent
    input: "Sort: {{ trigger.payload.text }}"
  - id: reply
    type: agent
    output_parser: {parser: json}
    input: "Write to {{ sort.output }}"
`;

const test = (models: string, expected = '{}') =>
  report(two, `tests: [{name: t, payload: {text: Help}, models: ${models}, expect: ${expected}}]`);

describe('a recorded answer of a model', () => {
  it('is used for its node and its input if it names them, and otherwise for the next call', async () => {
    const expected = '{path: [start, sort, reply], outputs: {sort: {output: billing}, reply: {output: {subject: Hi}}}}';
    const passing = [
      '[{answer: billing}, {answer: {subject: Hi}}]',
      '[{node: reply, answer: {subject: Hi}}, {node: sort, answer: billing}]',
      '[{input: Write to billing, answer: {subject: Hi}}, {input: {contains: Help}, answer: billing}]',
    ];
    for (const models of passing) expect(await test(models, expected)).toEqual(['  ok    t']);
  });

  it('contains the usage of the call, and the stop reason of the model', async () => {
    const models = '[{answer: a, input_tokens: 7, output_tokens: 2}, {answer: no, stop: refusal}]';
    const usage = '{usage: {contains: {calls: 1, input_tokens: 7, output_tokens: 2}}}';
    expect(await test(models, `{outputs: {sort: ${usage}}, error: {node: reply, code: model_refused}}`)).toEqual([
      '  ok    t',
    ]);
  });

  it('may be a failure, after which the step is retried', async () => {
    const models = '[{node: sort, fails: Overloaded., times: 2}, {answer: billing}, {answer: "{}"}]';
    expect(await test(models, '{outputs: {sort: {output: billing}}}')).toEqual(['  ok    t']);
    expect(await test('[{fails: Overloaded., times: 3}]', '{error: {node: sort, code: model_unavailable}}')).toEqual([
      '  ok    t',
    ]);
  });

  it('that is missing fails the step and the test, and so does an unused one', async () => {
    expect(await test('[{node: reply, answer: x}, {answer: y, input: z, times: 2}]')).toEqual([
      '  FAIL  t (line 2)',
      '          status',
      '            expected completed',
      expect.stringMatching(
        /actual {3}failed \(model_unavailable\): .*No recording answers the model request of node 'sort'/,
      ),
      `          No recording answers the model request of node 'sort': "Sort: Help".`,
      '          models[0] (reply) was never requested.',
      '          models[1] was never requested.',
    ]);
  });
});
