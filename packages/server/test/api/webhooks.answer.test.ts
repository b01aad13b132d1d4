import type { JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

/** A webhook whose only step before the end is `middle`. */
function addHook(start: JsonObject, middle: string | readonly [string, JsonObject], isPublic = false) {
  const nodes = { start: ['trigger_webhook', start], middle, end: 'echo' } as const;
  return running.addWorkflow(member.user, 'hook', {
    nodes,
    edges: 'start -> middle\nmiddle -> end',
    fields: { isPublic },
  });
}

function respondWith(config: JsonObject) {
  return addHook({ response_mode: 'respond_node' }, ['respond', config]);
}

/** The answer contains nothing of the error, which the execution shows its members. */
async function expectFailed({ status, body }: Answer): Promise<void> {
  expect([status, body]).toEqual([500, { detail: 'The workflow execution failed.', execution_id: uuid }]);
  const id = String((body as JsonObject).execution_id);
  const { body: execution } = await member.get(`/api/v1/executions/${id}/`);
  expect(execution).toMatchObject({ error_message: "Node 'middle' failed: It was bound to fail." });
}

describe('the mode last_node', () => {
  it('answers with the output of the run', async () => {
    await addHook({ response_mode: 'last_node' }, 'echo');
    expect(await member.post(path, { n: 1 })).toMatchObject({ status: 200, body: { payload: { n: 1 } } });
  });

  it('answers with the response of a respond node, after the run has ended', async () => {
    await addHook({ response_mode: 'last_node' }, ['respond', { status: 201, body: [1, 2] }]);
    expect(await member.post(path, {})).toMatchObject({ status: 200, body: [1, 2] });
  });

  it('answers a failed run with a fixed text and its id, also to the owner', async () => {
    await addHook({ response_mode: 'last_node' }, 'fail', true);
    const visitor = await running.addPerson('visitor');
    for (const { post } of [member, visitor]) await expectFailed(await post(path, {}));
  });

  it('answers that the run continues if it takes longer than 30 seconds', async () => {
    await addHook({ response_mode: 'last_node' }, 'held');
    const answer = member.post(path, {});
    await running.settle();
    running.time.advance(30_000);
    expect(await answer).toMatchObject({
      status: 202,
      body: { status: 'accepted', execution_id: uuid, message: 'Workflow execution is still running' },
    });
    running.steps.letGo();
    await running.settle();
    expect((await running.onlyRun()).status).toBe('completed');
  });

  it('waits as long as the trigger allows', async () => {
    await addHook({ response_mode: 'last_node', timeout: 5 }, 'held');
    const answer = member.post(path, {});
    await running.settle();
    running.time.advance(4999);
    running.steps.letGo();
    expect((await answer).status).toBe(200);
  });

  it('answers that the run was cancelled', async () => {
    await addHook({ response_mode: 'last_node' }, 'held');
    const answer = member.post(path, {});
    await running.settle();
    await member.post(`/api/v1/executions/${(await running.onlyRun()).id}/cancel/`);
    expect(await answer).toMatchObject({
      status: 500,
      body: { detail: 'The workflow execution was cancelled.', execution_id: uuid },
    });
  });

  it('answers a repeated delivery as the first one, without another run', async () => {
    await addHook({ response_mode: 'last_node' }, 'held');
    const deliver = () =>
      member.inject({ method: 'POST', url: path, headers: { 'idempotency-key': 'a' }, payload: '1' });
    const during = [deliver(), deliver()];
    await running.settle();
    running.steps.letGo();
    const answers = [...(await Promise.all(during)), await deliver()];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([200, expect.objectContaining({ payload: 1 })]),
    );
    await running.onlyRun();
  });
});

it('a delivery that is repeated after a retry is answered with the result of the retry', async () => {
  await addHook({ response_mode: 'last_node' }, 'fail_once');
  const headers = { 'idempotency-key': 'a' };
  const deliver = () => member.inject({ method: 'POST', url: path, headers, payload: '1' });
  expect((await deliver()).status).toBe(500);
  await member.post(`/api/v1/executions/${(await running.onlyRun()).id}/retry/`);
  await running.settle();
  expect(await deliver()).toMatchObject({ status: 200, body: { payload: 1 } });
});

describe.each(['respond_node', 'last_node'])('of several respond nodes in the mode %s', (mode) => {
  it('the first one answers, and is the output', async () => {
    const nodes = {
      start: ['trigger_webhook', { response_mode: mode }],
      first: ['respond', { body: { printed: 'first' } }],
      second: ['respond', { body: { printed: 'second' } }],
    } as const;
    await running.addWorkflow(member.user, 'hook', { nodes, edges: 'start -> first\nfirst -> second' });
    expect((await member.post(path, {})).body).toEqual({ printed: 'first' });
    await running.settle();
    const { id } = await running.onlyRun();
    expect((await member.get(`/api/v1/executions/${id}/`)).body).toMatchObject({ final_output: { printed: 'first' } });
  });
});

describe('the mode respond_node', () => {
  it('answers with the response of the node while the run continues', async () => {
    const nodes = {
      start: ['trigger_webhook', { response_mode: 'respond_node' }],
      say: 'respond',
      end: 'held',
    } as const;
    await running.addWorkflow(member.user, 'hook', { nodes, edges: 'start -> say\nsay -> end' });
    expect(await member.post(path, { n: 1 })).toMatchObject({ status: 200, body: { payload: { n: 1 } } });
    expect((await running.onlyRun()).status).toBe('running');
  });

  it('lets the node set status, headers and body', async () => {
    await respondWith({
      status: 418,
      headers: { 'X-Kind': 'pot', 'content-type': 'application/problem+json' },
      body: { a: 1 },
    });
    const answer = await member.post(path, {});
    expect(answer.status).toBe(418);
    expect(answer.headers).toMatchObject({
      'x-kind': 'pot',
      'content-type': 'application/problem+json; charset=utf-8',
    });
    expect(JSON.parse(answer.text)).toEqual({ a: 1 });
  });

  it('sends text as text', async () => {
    await respondWith({ body: 'ok' });
    const answer = await member.post(path, {});
    expect(answer).toMatchObject({ status: 200, text: 'ok', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it('sends no body if the status does not allow one', async () => {
    await respondWith({ status: 204, body: { a: 1 } });
    const answer = await member.post(path, {});
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers['content-type']).toBeUndefined();
  });

  it('answers with the output if no respond node ran', async () => {
    await addHook({ response_mode: 'respond_node' }, 'echo');
    expect(await member.post(path, { n: 1 })).toMatchObject({ status: 200, body: { payload: { n: 1 } } });
  });

  it('answers a run that failed before its respond node with a fixed text and its id', async () => {
    await addHook({ response_mode: 'respond_node' }, 'fail');
    await expectFailed(await member.post(path, {}));
  });
});

describe('the response of a respond node', () => {
  async function printed(config: JsonObject): Promise<Answer> {
    await respondWith(config);
    return member.post(path, {});
  }

  it('cannot set headers that browsers would attribute to the service', async () => {
    const hostile = {
      'Set-Cookie': 'a=b',
      'Access-Control-Allow-Origin': '*',
      'Content-Security-Policy': "default-src 'self'",
      'X-Frame-Options': 'ALLOWALL',
      'Strict-Transport-Security': 'max-age=1',
      'WWW-Authenticate': 'Basic',
      'Cache-Control': 'public',
      'Transfer-Encoding': 'chunked',
      'Content-Length': '1',
      Connection: 'upgrade',
    };
    const { status, headers, text } = await printed({ headers: hostile, body: 'whole' });
    expect([status, text]).toEqual([200, 'whole']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-length': '5',
    });
    for (const name of [
      'set-cookie',
      'access-control-allow-origin',
      'x-frame-options',
      'www-authenticate',
      'transfer-encoding',
    ]) {
      expect(headers[name]).toBeUndefined();
    }
  });

  it.each([
    [{ 'x-split': 'a\r\nset-cookie: b' }, 'x-split'],
    [{ 'bad name': 'a' }, 'bad name'],
    [{ 'x-wide': 'é☃' }, 'x-wide'],
  ])('cannot break the header section with %j', async (headers, name) => {
    const answer = await printed({ headers, body: 'whole' });
    expect([answer.status, answer.text, answer.headers[name]]).toEqual([200, 'whole', undefined]);
  });

  it.each([
    ['text/html; charset=utf-8', '<h1>Hello</h1>'],
    ['application/xml', '<a/>'],
    ['image/svg+xml', '<svg/>'],
    ['text/csv', 'a,b'],
  ])('has any content type that the node sets: %s', async (type, body) => {
    const answer = await printed({ headers: { 'content-type': type }, body });
    expect([answer.headers['content-type'], answer.text]).toEqual([type, body]);
    expect(answer.headers).toMatchObject({
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
  });

  it('cannot be a script, which a page of this service could run', async () => {
    const answer = await printed({ headers: { 'content-type': 'text/javascript' }, body: 'alert(1)' });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([
    [undefined, 'image/png'],
    ['image/x-png', 'image/x-png'],
  ])('can be the bytes of a file, with its own type unless the node sets another: %s', async (named, type) => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    const file = { name: 'a.png', content_type: 'image/png', size: 4, base64: bytes.toString('base64') };
    const headers = named === undefined ? {} : { 'content-type': named };
    await respondWith({ headers, body: file });
    const host = await running.listen();
    const key = { authorization: `Bearer ${member.key}` };
    const answer = await fetch(`http://${host}${path}`, { method: 'POST', headers: key });
    expect(answer.headers.get('content-type')).toBe(type);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it.each([100, 199, 600, 200.5])('has the status 200 if the node sets %s', async (status) => {
    expect((await printed({ status, body: 'x' })).status).toBe(200);
  });
});

describe('a sender that disconnects', () => {
  it('is no longer waited for, and its run continues', async () => {
    await addHook({ response_mode: 'last_node' }, 'held');
    const host = await running.listen();
    const hangUp = new AbortController();
    const headers = { authorization: `Bearer ${member.key}` };
    const sent = fetch(`http://${host}${path}`, { method: 'POST', headers, signal: hangUp.signal });
    await running.until(() => running.steps.heldCount === 1);
    const timers = running.time.pending;
    hangUp.abort();
    await expect(sent).rejects.toThrow();
    // The timeout of its wait is cleared, because nothing waits any more.
    await running.until(() => running.time.pending < timers);
    running.steps.letGo();
    await running.settle();
    expect((await running.onlyRun()).status).toBe('completed');
  });
});
