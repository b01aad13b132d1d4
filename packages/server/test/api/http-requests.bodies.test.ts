import { readFileSync } from 'node:fs';
import { executionDetail } from '@millrace/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import { addRequesting } from '../support/requesting.ts';
import type { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
let api: Api;
let remote: Remote;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  remote = await Remote.start();
});

let workflows = 0;

/** Creates a workflow with one request, and returns a function that runs it with a payload. */
async function sender(config: object) {
  workflows += 1;
  const slug = `wf-${workflows}`;
  await addRequesting(api, { slug, config: { method: 'POST', url: `${remote.origin}/`, ...config } });
  return async (payload: unknown = {}) => {
    const { body } = await api.post(`/api/v1/workflows/${slug}/execute/`, { payload, wait: true });
    const { execution_id: id } = body as { execution_id: string };
    const detail = executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
    const received = remote.received.at(-1);
    return { detail, received: received as NonNullable<typeof received> };
  };
}

/** The fields of a body, as an independent parser reads them. */
function fieldsOf({ headers, body }: Remote['received'][number]) {
  const type = headers['content-type'] ?? '';
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
}

/** Any text that the API accepts: no NUL, and no lone surrogate. */
const anyText = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => text.toWellFormed().replaceAll('\0', ''))
  .filter((text) => text !== '__proto__');
const few = { numRuns: 25 };

describe('a URL template', () => {
  test('sends each value as one part of the URL, whatever it contains', async () => {
    const send = await sender({
      method: 'GET',
      url: `${remote.origin}/orders/{{ trigger.payload.id }}/items?q={{ trigger.payload.q }}&all=1`,
    });
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (id, q) => {
        fc.pre(!/^\.{0,2}$/.test(id));
        const { received } = await send({ id, q });
        const url = new URL(received.url ?? '', remote.origin);
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'orders', id, 'items']);
        expect(Object.fromEntries(url.searchParams)).toEqual({ q, all: '1' });
      }),
      few,
    );
    const { detail } = await send({ id: '..', q: '' });
    expect(detail).toMatchObject({ status: 'failed', logs: [{}, { error_code: 'expression' }] });
  });

  test('that is one single expression is used unchanged', async () => {
    const send = await sender({ method: 'GET', url: '{{ trigger.payload.next }}' });
    const { received } = await send({ next: `${remote.origin}/a/b?c=d%20e&f` });
    expect(received.url).toBe('/a/b?c=d%20e&f');
  });
});

describe('a body of the content type', () => {
  test('application/x-www-form-urlencoded is a form, whatever its names and values contain', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = await sender({ headers, body: '{{ trigger.payload }}' });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(anyText, fc.array(anyText, { minLength: 1, maxLength: 3 })), async (form) => {
        const { received } = await send(form);
        const written = Object.entries(form).flatMap(([name, values]) => values.map((value) => [name, value]));
        expect([...new URLSearchParams(received.body.toString())]).toEqual(written);
        expect(received.headers['content-type']).toBe('application/x-www-form-urlencoded');
      }),
      few,
    );
  });

  test('multipart/form-data has fields and files, byte for byte', async () => {
    const send = await sender({ headers: { 'Content-Type': 'multipart/form-data' }, body: '{{ trigger.payload }}' });
    const bytes = fc.uint8Array({ maxLength: 2000 });
    // Parsers do not agree on line breaks in names, so the next test covers them.
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(name, name, anyText, bytes, async (field, fileName, value, content) => {
        const base64 = Buffer.from(content).toString('base64');
        const file = { name: fileName, content_type: 'image/png', size: content.length, base64 };
        const { received } = await send({ [`f_${field}`]: [value, 1, true], files: [file, file], nothing: null });
        const parts = await fieldsOf(received);
        const sent = (text: string) => text.replaceAll('"', '%22');
        expect([...parts.keys()].map(sent)).toEqual([...Array(3).fill(sent(`f_${field}`)), 'files', 'files']);
        expect(parts.getAll([...parts.keys()][0] ?? '')).toEqual([value, '1', 'true']);
        for (const part of parts.getAll('files')) {
          const received = part as File;
          expect([received.type, sent(received.name)]).toEqual(['image/png', sent(fileName)]);
          expect(Buffer.from(await received.arrayBuffer()).equals(content)).toBe(true);
        }
      }),
      few,
    );
  });

  test('multipart/form-data encodes a name with line breaks in one line', async () => {
    const send = await sender({ headers: { 'Content-Type': 'multipart/form-data' }, body: '{{ trigger.payload }}' });
    const { received } = await send({ 'a"\r\nX-Evil: 1': 'b' });
    expect(received.body.toString()).toContain('form-data; name="a%22%0D%0AX-Evil: 1"\r\n\r\nb\r\n');
  });
});

describe('a file', () => {
  test('that one request fetches is sent by the next, even if it is too large for the journal', async () => {
    const large = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
    remote.answer = (request, response) => {
      if (request.method === 'GET') response.setHeader('content-type', 'image/png').end(large);
      else response.end('{}');
    };
    const yaml_str = `
name: Copy
slug: copy
trigger: manual
steps:
  - {id: fetch, type: http, url: "${remote.origin}/photo.png"}
  - {id: raw, type: http, method: PUT, url: "${remote.origin}/raw", body: "{{ fetch.result }}"}
  - id: upload
    type: http
    method: POST
    url: "${remote.origin}/upload"
    headers: {Content-Type: multipart/form-data}
    body: {title: A photo, photo: "{{ fetch.result }}"}
`;
    expect(await api.post('/api/v1/workflows/import/', { yaml_str })).toMatchObject({ status: 201 });
    const run = await api.post('/api/v1/workflows/copy/execute/', { wait: true });
    expect(run.body).toMatchObject({ status: 'completed' });
    const [, raw, upload] = remote.received;
    expect(raw).toMatchObject({ method: 'PUT', headers: { 'content-type': 'image/png' } });
    expect(raw?.body.equals(large)).toBe(true);
    const photo = upload && (await fieldsOf(upload)).get('photo');
    expect(Buffer.from(await (photo as File).arrayBuffer()).equals(large)).toBe(true);
    expect((photo as File).name).toBe('photo.png');
  });
});

describe('the User-Agent', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

  test('contains the service and its version', async () => {
    const { received } = await (await sender({}))();
    expect(received.headers['user-agent']).toBe(`Millrace/${version}`);
  });

  test('is the one that the node sets', async () => {
    const { received } = await (await sender({ headers: { 'user-AGENT': 'Shop {{ 1 + 1 }}' } }))();
    expect(received.headers['user-agent']).toBe('Shop 2');
  });
});
