import { describe, expect, it } from 'vitest';
import { report } from './tested-files.ts';

const ask = `
name: Ask
trigger: manual
steps:
  - {id: ask, type: human, prompt: Go on?, default: true, policies: {timeout_seconds: 3600}}
  - {id: said, type: template, template: "{{ ask.confirmed }} {{ ask.user_response }}"}
`;
const test = (workflow: string, answers: string, expected: string) =>
  report(workflow, `tests: [{name: t, answers: ${answers}, expect: ${expected}}]`);

describe('an answer', () => {
  it("is a person's answer to a question", async () => {
    expect(await test(ask, '[{node: ask, confirmed: false, response: No.}]', '{final_output: false No.}')).toEqual([
      '  ok    t',
    ]);
  });

  it('that is missing leaves the question to its time limit, or open', async () => {
    expect(await test(ask, '[]', '{final_output: "true "}')).toEqual(['  ok    t']);
    const patient = ask.replace(/, policies: .*}}/, '}');
    expect(await test(patient, '[]', '{status: interrupted, path: [start, ask]}')).toEqual(['  ok    t']);
  });

  it('arrives at its time, which may be too late', async () => {
    const after = (seconds: number) => `[{node: ask, confirmed: false, after_seconds: ${seconds}}]`;
    expect(await test(ask, after(3599), '{final_output: "false "}')).toEqual(['  ok    t']);
    expect(await test(ask, after(3601), '{final_output: "true "}')).toEqual([
      '  FAIL  t (line 2)',
      "          answers[0] (ask) could not be delivered: 'ask' no longer waits.",
    ]);
  });

  it('that nothing waits for fails the test', async () => {
    const answers = '[{node: ask, confirmed: true}, {node: ask, confirmed: true}, {node: said, body: 1}]';
    expect(await test(ask, answers, '{}')).toEqual([
      '  FAIL  t (line 2)',
      '          answers[1] (ask) was never used: no step waited for it.',
      '          answers[2] (said) was never used: no step waited for it.',
    ]);
  });

  it('is the body of a callback request', async () => {
    const flow = `
name: Call
trigger: manual
steps:
  - {id: paid, type: wait, callback: true}
`;
    expect(
      await test(flow, '[{node: paid, body: {sum: 7}, after_seconds: 86400}]', '{final_output: {sum: 7}}'),
    ).toEqual(['  ok    t']);
    expect(await test(flow, '[]', '{status: waiting}')).toEqual(['  ok    t']);
  });

  it('is sent to a frame of a loop: the named one, or the first', async () => {
    const flow = `
name: Each
trigger: manual
steps:
  - id: each
    type: loop
    over: [a, b]
    body:
      - {id: ask, type: human, prompt: "{{ loop.item }}?"}
`;
    const answers = '[{node: ask, frame: "each[1]", confirmed: false}, {node: ask, confirmed: true}]';
    const outputs = '{"each[0]/ask": {confirmed: true}, "each[1]/ask": {confirmed: false}}';
    expect(await test(flow, answers, `{path: [start, each, ask], outputs: ${outputs}}`)).toEqual(['  ok    t']);
    expect((await test(flow, answers, '{outputs: {ask: {confirmed: true}}}')).slice(-1)).toEqual([
      '            actual   one in each of several frames: name a frame, e.g. each[0]/ask, each[1]/ask',
    ]);
  });
});
