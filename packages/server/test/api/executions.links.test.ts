import type { Json, JsonObject } from '@millrace/core';
import { maxLoopDepth } from '@millrace/core/testkit';
import { describe, expect, test } from 'vitest';
import { received, type LinkSketch as Sketch, linkScene as scene } from '../support/link-scene.ts';

const called: Sketch = {
  nodes: {
    start: 'trigger_manual',
    received: ['transform', { fields: { url: '{{ nodes.hook.callback_url }}' } }],
    hook: ['wait', { callback: true }],
  },
  edges: 'start -> received\nreceived -> hook',
};

const asked: Sketch = {
  nodes: {
    start: 'trigger_manual',
    received: ['transform', { fields: { yes: '{{ ask.approve_url }}', no: '{{ ask.decline_url }}' } }],
    ask: ['human_confirmation', { prompt: '<b>Ship it?</b>' }],
  },
  edges: 'start -> received\nreceived -> ask',
};

describe('a callback', () => {
  test('has a URL before its step runs, needs no key, and works once, with the body as the output', async () => {
    const { start, send } = await scene({ called });
    const detail = await start('called');
    const url = received(await detail(), 'url');
    expect(url).toMatch(/^http:\/\/localhost\/api\/v1\/callbacks\/[\w.-]+$/);
    expect(await detail()).toMatchObject({ status: 'waiting', waits: [{ kind: 'callback', callback_url: url }] });
    const logs = (await detail()).logs as readonly JsonObject[];
    expect(logs.at(-1)).toMatchObject({ node_id: 'hook', status: 'waiting', output: { callback_url: url } });
    const first = await send('POST', url, '{"paid":true}');
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text)).toEqual({ status: 'resumed', execution_id: (await detail()).execution_id });
    const second = await send('POST', url, '{"paid":false}');
    expect([second.status, JSON.parse(second.text)]).toEqual([
      409,
      { detail: 'This callback was already used, or no step waits for it any more.' },
    ]);
    expect(await detail()).toMatchObject({ status: 'completed', final_output: { paid: true } });
  });

  test('may be a GET, with the query as the output', async () => {
    const { start, send } = await scene({ called });
    const detail = await start('called');
    const url = received(await detail(), 'url');
    expect((await send('GET', `${url}?paid=yes`)).status).toBe(200);
    expect(await detail()).toMatchObject({ final_output: { paid: 'yes' } });
  });

  test('is not used up by a HEAD request', async () => {
    const { start, running } = await scene({ called });
    const detail = await start('called');
    const url = received(await detail(), 'url').replace('http://localhost', '');
    expect((await running.app.inject({ method: 'HEAD', url })).statusCode).toBe(405);
    await running.settle();
    expect(await detail()).toMatchObject({ status: 'waiting' });
  });

  test('that arrives before its step has paused is stored for it', async () => {
    const { running, start, send } = await scene({
      early: {
        nodes: {
          start: 'trigger_manual',
          received: ['transform', { fields: { url: '{{ nodes.hook.callback_url }}' } }],
          slow: ['wait', { duration: 1, unit: 'minutes' }],
          hook: ['wait', { callback: true }],
        },
        edges: 'start -> received\nreceived -> slow\nslow -> hook',
      },
    });
    const detail = await start('early');
    const url = received(await detail(), 'url');
    expect((await send('POST', url, '{"early":true}')).status).toBe(200);
    expect((await send('POST', url, '{"early":false}')).status).toBe(409);
    expect(await detail()).toMatchObject({ status: 'waiting' });
    running.time.advance(60_000);
    await running.settle();
    expect(await detail()).toMatchObject({ status: 'completed', final_output: { early: true } });
  });
});

describe('the callback of a step', () => {
  test('has its own URL for each iteration of a loop', async () => {
    const { start, send } = await scene({
      looped: {
        nodes: {
          start: 'trigger_manual',
          each: ['loop', { items: '{{ trigger.payload.items }}', concurrency: 2 }],
          received: ['transform', { fields: { url: '{{ nodes.hook.callback_url }}' } }],
          hook: ['wait', { callback: true }],
        },
        edges: 'start -> each\neach -loop_body-> received\nreceived -> hook\nhook -loop_return-> each',
      },
    });
    const detail = await start('looped');
    const urls = [0, 1].map((index) => `each[${index}]`);
    const [first, second] = await Promise.all(urls.map(async (frame) => received(await detail(), 'url', frame)));
    await send('POST', String(second), '"b"');
    await send('POST', String(first), '"a"');
    expect(await detail()).toMatchObject({ status: 'completed', final_output: ['a', 'b'] });
  });

  test('works at the maximum depth of loops, with the longest names', async () => {
    const long = (start: string) => start.padEnd(255, '_');
    const loops = Array.from({ length: maxLoopDepth }, (_, index) => long(`loop_${index}`));
    const hook = long('hook');
    const { start, send } = await scene({
      deep: {
        nodes: {
          start: 'trigger_manual',
          ...Object.fromEntries(loops.map((loop) => [loop, ['loop', { items: [1] }]])),
          [hook]: ['wait', { callback: true }],
        },
        edges: [
          `start -> ${loops[0]}`,
          ...loops.map((loop, index) => `${loop} -loop_body-> ${loops[index + 1] ?? hook}`),
          ...loops.map((loop, index) => `${loops[index + 1] ?? hook} -loop_return-> ${loop}`),
        ].join('\n'),
      },
    });
    const detail = await start('deep');
    const [wait] = (await detail()).waits as readonly JsonObject[];
    expect((await send('POST', String(wait?.callback_url), '"a"')).status).toBe(200);
    expect(await detail()).toMatchObject({ status: 'completed' });
  });

  test('is only shown to users with write access', async () => {
    const { running, start } = await scene({ called });
    const viewer = await running.addPerson('visitor');
    const workflow = await running.store.workflows.bySlug('called');
    const at = running.time.clock.now();
    await running.store.collaborators.insert({
      workflowId: workflow?.id ?? 0,
      userId: viewer.user.id,
      role: 'viewer',
      at,
    });
    const detail = await start('called');
    const seen = await viewer.get(`/api/v1/executions/${(await detail()).execution_id}/`);
    expect(seen.body).toMatchObject({ waits: [{ kind: 'callback', callback_url: null }] });
  });

  test('that is forged is not found', async () => {
    const { start, send } = await scene({ called });
    const detail = await start('called');
    const url = received(await detail(), 'url');
    const [path = '', words = ''] = /^(.*\/)([^/.]+)\./.exec(url)?.slice(1) ?? [];
    const other = Buffer.from(Buffer.from(words, 'base64url').toString().replace('hook', 'received')).toString(
      'base64url',
    );
    const forged = [
      url.slice(0, -2),
      `${url}A`,
      url.replace(words, other),
      `${path}x`,
      `${path}${words}`,
      `${path}${Buffer.from('{"a":1}').toString('base64url')}.x.y`,
    ];
    for (const address of forged) expect([address, (await send('POST', address, '{}')).status]).toEqual([address, 404]);
    expect(await detail()).toMatchObject({ status: 'waiting' });
  });

  test('cannot end a timer: its URL is rejected', async () => {
    const { start, send } = await scene({
      timed: {
        nodes: {
          start: 'trigger_manual',
          received: ['transform', { fields: { url: '{{ nodes.hook.callback_url }}' } }],
          hook: ['wait', { duration: 1, unit: 'minutes' }],
        },
        edges: 'start -> received\nreceived -> hook',
      },
    });
    const detail = await start('timed');
    expect((await send('POST', received(await detail(), 'url'), '{}')).status).toBe(409);
    expect(await detail()).toMatchObject({ status: 'waiting' });
  });
});

describe('a link to approve or decline', () => {
  test('shows a page that decides nothing; its button decides, once', async () => {
    const { running, start, send } = await scene({ asked });
    const detail = await start('asked');
    const [yes, no] = [received(await detail(), 'yes'), received(await detail(), 'no')];
    for (let look = 0; look < 2; look += 1) {
      const page = await send('GET', yes);
      expect(page.status).toBe(200);
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      expect(page.text).toContain('&lt;b&gt;Ship it?&lt;/b&gt;');
      expect(page.text).toContain('<button>Approve</button>');
    }
    expect(await detail()).toMatchObject({ status: 'interrupted' });
    const form = await send('POST', no, 'response=Not+today', 'application/x-www-form-urlencoded');
    expect([form.status, form.text.includes('Declined')]).toEqual([200, true]);
    const late = await send('POST', yes, '', 'application/x-www-form-urlencoded');
    expect([late.status, late.text.includes('Already declined just now')]).toEqual([409, true]);
    const json = await send('POST', yes, '{}');
    expect([json.status, JSON.parse(json.text)]).toEqual([
      409,
      { detail: expect.stringMatching(/^This question was already answered: declined at [\d:T.-]+ UTC\.$/) },
    ]);
    running.time.advance(10_000);
    const look = await send('GET', yes);
    expect([look.status, look.text.includes('Already declined 10 seconds ago')]).toEqual([200, true]);
    expect(look.text).toContain('&lt;b&gt;Ship it?&lt;/b&gt;');
    const final = await detail();
    expect(final).toMatchObject({ status: 'completed' });
    const logs = final.logs as readonly JsonObject[];
    expect(logs.at(-1)).toMatchObject({
      output: { confirmed: false, user_response: 'Not today' },
      metadata: { answered_by: 'a signed link' },
    });
  });

  test('accepts the form as browsers send it from its page, with the origin null', async () => {
    const { start, running } = await scene({ asked });
    const detail = await start('asked');
    const answer = await running.app.inject({
      method: 'POST',
      url: received(await detail(), 'yes').replace('http://localhost', ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
      payload: 'response=',
    });
    await running.settle();
    expect([answer.statusCode, (await detail()).status]).toEqual([200, 'completed']);
  });

  test('accepts JSON from programs, and rejects unknown keys for strict callers', async () => {
    const { start, send, running } = await scene({ asked });
    const detail = await start('asked');
    const rejected = await running.app.inject({
      method: 'POST',
      url: received(await detail(), 'yes').replace('http://localhost', ''),
      headers: { 'content-type': 'application/json', prefer: 'handling=strict' },
      payload: '{"respnse":"go"}',
    });
    expect([rejected.statusCode, rejected.payload.includes("closest known one is 'response'")]).toEqual([422, true]);
    const answer = await send('POST', received(await detail(), 'yes'), '{"response":"go"}');
    expect([answer.status, JSON.parse(answer.text) as Json]).toEqual([200, { confirmed: true }]);
    expect(await detail()).toMatchObject({ status: 'completed' });
  });

  test('expires', async () => {
    const { running, start, send } = await scene({
      soon: {
        ...asked,
        nodes: { ...asked.nodes, ask: ['human_confirmation', { timeout_seconds: 60, default: true }] },
      },
    });
    const detail = await start('soon');
    const no = received(await detail(), 'no');
    running.time.advance(60_000);
    await running.settle();
    const page = await send('GET', no);
    expect(page.text).toContain('This link has expired');
    expect(page.text).toContain('so the default answer was used: approved.');
    expect((await send('POST', no, '{}')).status).toBe(409);
    expect(await detail()).toMatchObject({ status: 'completed' });
  });

  test('cannot be changed into the other one', async () => {
    const { start, send } = await scene({ asked });
    const no = received(await (await start('asked'))(), 'no');
    const words = /\/([^/.]+)\./.exec(no)?.[1] ?? '';
    const yes = Buffer.from(Buffer.from(words, 'base64url').toString().replace('false', 'true')).toString('base64url');
    expect((await send('POST', no.replace(words, yes), '{}')).status).toBe(404);
    expect((await send('GET', no.replace(words, yes))).status).toBe(404);
  });
});

describe('the body of an answer by link', () => {
  test.each([
    'null',
    '[]',
    '"go"',
    '1',
  ])('rejects the body %s, which is no object, and can be used after it', async (body) => {
    const { start, send } = await scene({ asked });
    const detail = await start('asked');
    const url = received(await detail(), 'yes');
    expect((await send('POST', url, body)).status).toBe(422);
    expect((await send('POST', url)).status).toBe(200);
  });

  test('may have unknown keys, which are ignored with a warning for callers that are not strict', async () => {
    const { start, send } = await scene({ asked });
    const detail = await start('asked');
    const answer = await send('POST', received(await detail(), 'yes'), '{"response":"go","respnse":"stop"}');
    expect([answer.status, answer.headers['millrace-warning']]).toEqual([
      200,
      "Ignored unknown body key 'respnse' (closest known: 'response')",
    ]);
    expect(await detail()).toMatchObject({ status: 'completed', final_output: true });
    const logs = (await detail()).logs as readonly JsonObject[];
    expect(logs.at(-1)).toMatchObject({ output: { user_response: 'go' } });
  });
});
