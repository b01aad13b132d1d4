import { describe, expect, it } from 'vitest';
import { report } from './tested-files.ts';

const chat = `
name: Chat
trigger: chat
model: {model_name: small, credential: main}
steps:
  - {id: answer, type: agent, memory: {turns: 10}}
`;

const webhook = `
name: Hook
trigger: webhook
steps:
  - {id: call, type: http, url: "https://a.example/{{ trigger.payload.n }}", policies: {retry: {max_attempts: 1}}}
  - {id: done, type: template, template: "{{ call.result }}"}
`;

const http = (...responses: string[]) =>
  `[${responses.map((response) => `{request: {url: "https://a.example/1"}, response: ${response}}`).join(', ')}]`;

const hook = (responses: string, expected: string, then: string) =>
  report(webhook, `tests: [{name: t, payload: {n: 1}, http: ${responses}, expect: ${expected}, then: ${then}}]`);

const passed = ['  ok    t'];

describe('another message', () => {
  const test = (history: string) =>
    report(
      chat,
      `tests: [{name: t, text: One, models: [{answer: Uno}, {history: ${history}, answer: Due}], expect: {},
        then: [{text: Two, expect: {final_output: Due, response: {status: 200}}}]}]`,
    );

  it('continues the conversation: the model receives the earlier messages', async () => {
    expect(await test('[One, Uno]')).toEqual(passed);
    expect(await test('[{contains: On}, Uno]')).toEqual(passed);
    expect((await test('[One]')).join('\n')).toContain('then[0].status');
    expect((await test('[]')).join('\n')).toContain('models[1] was never requested.');
  });

  it('is only accepted by triggers for messages', async () => {
    expect(await hook(http('{}'), '{}', '[{text: Two, expect: {}}]')).toContain(
      "          'start' is a trigger_webhook: only a trigger_chat or a trigger_chat_bot accepts another message.",
    );
  });
});

describe('a retry', () => {
  const failed = '{error: {node: call, code: http_status}}';

  it('continues the same failed execution', async () => {
    const responses = http('{status: 404}', '{body: yes}');
    expect(await hook(responses, failed, '[{retry: true, expect: {final_output: "yes"}}]')).toEqual(passed);
    const different = await hook(responses, failed, '[{retry: true, expect: {final_output: no}}]');
    expect(different.slice(1, 4)).toEqual([
      '          then[0].final_output',
      '            expected "no"',
      '            actual   "yes"',
    ]);
  });

  it('of an execution that did not fail is rejected, which a test can expect', async () => {
    const then = (expected: string) => `[{retry: true, expect: ${expected}}]`;
    expect(await hook(http('{body: yes}'), '{}', then('{response: {status: 409}}'))).toEqual(passed);
    expect((await hook(http('{body: yes}'), '{}', then('{}'))).join('\n')).toMatch(/rejected the start \(409\)/);
  });
});

it('a replay starts a new execution, which reuses the results before its node', async () => {
  const then = '[{replay_from: done, expect: {final_output: "yes"}}, {replay_from: call, expect: {final_output: no}}]';
  expect(await hook(http('{body: yes}', '{body: no}'), '{final_output: "yes"}', then)).toEqual(passed);
});

describe('a repeated request', () => {
  it('has the same idempotency key, so it starts nothing', async () => {
    const response = '{response: {headers: {idempotent-replayed: "true"}}}';
    expect(await hook(http('{body: yes}'), '{}', `[{repeat: true, expect: ${response}}]`)).toEqual(passed);
  });

  it('is not possible for a trigger without idempotency keys', async () => {
    const tests =
      'tests: [{name: t, text: One, models: [{answer: Uno}], expect: {}, then: [{repeat: true, expect: {}}]}]';
    expect(await report(chat, tests)).toContain(
      "          'start' is a trigger_chat: it accepts no Idempotency-Key, so 'repeat' is not possible.",
    );
  });
});

it('a step with two actions is rejected with its position', async () => {
  const then = '[{retry: true, repeat: true, expect: {}}]';
  expect((await hook(http('{}'), '{}', then)).join('\n')).toMatch(
    /flow\.test\.yaml:2:\d+ then: Give one of 'text', 'repeat', 'retry' and 'replay_from'\./,
  );
});

it('a step after a start that was rejected is not run', async () => {
  const tests = 'tests: [{name: t, expect: {response: {status: 422}}, then: [{retry: true, expect: {}}]}]';
  const [, message] = await report(`input_schema: {type: object, required: [n]}\n${webhook}`, tests);
  expect(message).toBe("          'then' continues an execution, but none was started.");
});
