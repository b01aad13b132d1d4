import { describe, expect, it } from 'vitest';
import { tested } from './tested-files.ts';

const child = `
name: Child
trigger: workflow
steps:
  - {id: ask, type: http, url: "http://prices.example/{{ trigger.payload.item }}"}
`;
const handler = `
name: Handler
nodes:
  - {id: start, type: trigger_error}
  - {id: words, type: template, template: "{{ trigger.payload.error_code }}"}
  - {id: alert, type: http_request, method: POST, url: "http://alarm.example/", body: "{{ words.output }}"}
edges: [start -> words, words -> alert]
`;
const parent = `
name: Parent
error_handler: handler
trigger: manual
steps:
  - {id: call, type: workflow, workflow: child, payload: {item: tea}}
`;
const files = { 'child.yaml': child, 'handler.yaml': handler, 'parent.yaml': parent };
const price = '{request: {url: "http://prices.example/tea"}, response: {body: 3}}';

describe('workflows that a workflow calls', () => {
  it('are real: their requests are recorded, too', async () => {
    const answer = await tested({
      ...files,
      'a.test.yaml': `
workflow: parent.yaml
workflows: [child.yaml, handler.yaml]
tests:
  - name: calls
    http: [${price}]
    expect: {path: [start, call], final_output: 3}
  - name: fails
    http:
      - {request: {url: "http://prices.example/tea"}, response: {status: 404}}
      - {request: {method: POST, url: {contains: alarm}, body: subworkflow}, response: {}}
    expect: {error: {node: call, code: subworkflow}}
`,
      'child.test.yaml': `
workflow: child.yaml
tests: [{name: alone, payload: {item: tea}, http: [${price}], expect: {final_output: 3}}]
`,
    });
    expect(answer.out).toEqual([
      'a.test.yaml',
      '  ok    calls',
      '  ok    fails',
      'child.test.yaml',
      '  ok    alone',
      '3 passed, 0 failed',
    ]);
  });

  it('must exist', async () => {
    const text = (more: string) => `workflow: parent.yaml\n${more}\ntests: [{name: t, expect: {}}]`;
    const none = await tested({ ...files, 'a.test.yaml': text('') });
    expect([none.code, ...none.notes]).toEqual([2, expect.stringMatching(/^parent.yaml:3:16 .*'handler'/)]);
    const twice = await tested({ ...files, 'a.test.yaml': text('workflows: [child.yaml, child.yaml, handler.yaml]') });
    expect(twice.notes).toEqual(["child.yaml: another of these workflows also has the slug 'child'."]);
  });

  it('may be included in the test file', async () => {
    const inline = (text: string) => text.trim().replaceAll('\n', '\n    ');
    const answer = await tested({
      'a.test.yaml': `
workflows:
  - ${inline(child)}
  - ${inline(handler)}
workflow:
    ${inline(parent)}
tests: [{name: calls, http: [${price}], expect: {final_output: 3}}]
`,
    });
    expect(answer).toMatchObject({ code: 0, notes: [] });
  });
});

describe('a trigger', () => {
  const flow = `
name: Many
nodes:
  - {id: hook, type: trigger_webhook}
  - {id: chat, type: trigger_chat}
  - {id: hand, type: trigger_manual}
  - {id: echo, type: template, template: "{{ trigger.text }} {{ trigger.payload.n | default('') }}"}
edges: [hook -> echo, chat -> echo, hand -> echo]
`;
  const runTests = async (tests: string, text = flow) => {
    const { out, notes } = await tested({ 'f.yaml': text, 'a.test.yaml': `workflow: f.yaml\ntests:\n${tests}` });
    return [...notes, ...out.slice(1, -1)];
  };

  it('is started as in production', async () => {
    expect(
      await runTests(`
  - {name: a, trigger: hook, payload: {n: 1}, expect: {path: [hook, echo], final_output: " 1", response: {body: {contains: {status: accepted}}}}}
  - {name: b, trigger: chat, text: Hi, expect: {path: [chat, echo], response: {body: {contains: {text: "Hi "}}}}}
  - {name: c, payload: {n: 2}, text: Hi, expect: {path: [hand, echo], final_output: Hi 2}}
`),
    ).toEqual(['  ok    a', '  ok    b', '  ok    c']);
  });

  it('has headers and a query if it is a webhook', async () => {
    const text = flow.replaceAll(/\{\{ trigger.text \}\}/g, "{{ hook.headers['x-kind'] }} {{ hook.query.q }}");
    const only = text.replace(/.*(chat|hand),.*\n/g, '').replace(', chat -> echo, hand -> echo', '');
    expect(
      await runTests('  - {name: t, headers: {X-Kind: a}, query: {q: b c}, expect: {final_output: "a b c "}}', only),
    ).toEqual(['  ok    t']);
  });

  it('that cannot start this way reports the reason', async () => {
    const two = flow.replace(/.*(hand),.*\n/g, '').replace(', hand -> echo', '');
    expect(
      await runTests(
        `
  - {name: a, expect: {}}
  - {name: b, trigger: hok, expect: {}}
  - {name: c, trigger: chat, payload: {n: 1}, expect: {}}
`,
        two,
      ),
    ).toEqual([
      '  FAIL  a (line 4)',
      "          The workflow has several triggers: name one of hook, chat as 'trigger'.",
      '  FAIL  b (line 5)',
      "          The workflow has no trigger 'hok'. Did you mean 'hook'?",
      '  FAIL  c (line 6)',
      "          'chat' is a trigger_chat: it accepts text, not payload.",
    ]);
  });
});
