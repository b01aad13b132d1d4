import { webhookAccepted } from '@millrace/contract';
import type { Json } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

const type = 'multipart/form-data; boundary=x';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
  await running.addWorkflow(member.user, 'hook', { nodes: { start: 'trigger_webhook' } });
});

function send(payload: string | Buffer, contentType = type) {
  const headers = { 'content-type': contentType };
  return member.inject({ method: 'POST', url: '/api/v1/webhooks/hook', headers, payload });
}

async function payloadOf(body: string | Buffer, contentType = type): Promise<Json | undefined> {
  const answer = await send(body, contentType);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const { execution_id: id } = webhookAccepted.parse(answer.body);
  return (await running.store.executions.detail(id))?.trigger.payload;
}

/** A body with one part: its headers and its content. */
function part(headers: string, content: string): string {
  return `--x\r\n${headers}\r\n\r\n${content}\r\n--x--\r\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('a part of a multipart body', () => {
  it.each<[string, string, Json]>([
    ['Content-Disposition: form-data; name="a"', '1', { a: '1' }],
    ['content-disposition:form-data;name=a', '1', { a: '1' }],
    ['Content-Disposition: Form-Data ; NAME = "a b"', '1', { 'a b': '1' }],
    ['Content-Disposition: form-data; name="a;b"', '1', { 'a;b': '1' }],
    ['Content-Disposition: form-data; name="a%22b"', '1', { 'a"b': '1' }],
    ['Content-Disposition: form-data; name="a\\"b"', '1', { 'a"b': '1' }],
    ['Content-Disposition: form-data; name="a\\"', '1', { 'a\\': '1' }],
    ['Content-Disposition: form-data; name="ä"', '1', { ä: '1' }],
    ['Content-Disposition: form-data;\r\n name="a"', '1', { a: '1' }],
    ['X-Other: 1\r\nContent-Disposition: form-data; name="a"', '', { a: '' }],
    ['Content-Disposition: form-data; name="a"', '\r\n--\r\n-x', { a: '\r\n--\r\n-x' }],
    ['Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', base64('ä'), { a: 'ä' }],
  ])('with the headers %j and the content %j is a field', async (headers, content, payload) => {
    expect(await payloadOf(part(headers, content))).toEqual(payload);
  });

  it.each([
    ['filename="a.txt"', 'a.txt'],
    ['filename=a.txt', 'a.txt'],
    ['filename=""', ''],
    ['filename="a%22b.txt"', 'a"b.txt'],
    ['filename="naïve.txt"', 'naïve.txt'],
    ['filename="x.txt"; filename*=UTF-8\'\'na%C3%AFve.txt', 'naïve.txt'],
    ['filename*=UTF-8\'\'%zz; filename="x.txt"', 'x.txt'],
  ])('with %s is a file', async (parameter, name) => {
    const body = part(`Content-Disposition: form-data; name="f"; ${parameter}\r\nContent-Type: text/csv`, 'a,b');
    const file = { content_type: 'text/csv', size: 3, base64: base64('a,b') };
    expect(await payloadOf(body)).toMatchObject({ f: file });
    if (name !== '') expect(await payloadOf(body)).toMatchObject({ f: { name } });
  });

  it('is decoded by the charset of its Content-Type', async () => {
    const body = part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=latin1', '\xe4');
    expect(await payloadOf(Buffer.from(body, 'latin1'))).toEqual({ a: 'ä' });
  });

  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from('\uFEFFä')],
    ['UTF-16', Buffer.from('\uFEFFä', 'utf16le')],
  ])('is decoded by the byte order mark of %s, which is removed', async (_charset, content) => {
    const [head, tail] = part('Content-Disposition: form-data; name="a"', '|')
      .split('|')
      .map((half) => Buffer.from(half));
    expect(await payloadOf(Buffer.concat([head ?? content, content, tail ?? content]))).toEqual({ a: 'ä' });
  });

  it('larger than the pieces in which a body is parsed is complete', async () => {
    const content = '0123456789abcdef'.repeat(20_000);
    const file = `--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${content}\r\n`;
    const payload = await payloadOf(`${file}${part('Content-Disposition: form-data; name="a"', content)}`);
    expect(payload).toMatchObject({ a: content, f: { size: content.length, base64: base64(content) } });
  });

  it('may stand after a preamble, and before an epilogue', async () => {
    const body = `ignored\r\n${part('Content-Disposition: form-data; name="a"', '1')}ignored`;
    expect(await payloadOf(body)).toEqual({ a: '1' });
  });
});

describe('a multipart body is rejected', () => {
  const notMultipart = 'Request body is not multipart with the boundary in its Content-Type.';
  const noName = 'A part of the multipart body has no name in its Content-Disposition.';

  it.each([
    ['without its last boundary', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n', notMultipart],
    ['without a boundary', 'a=1', notMultipart],
    ['if a part has no name', part('Content-Disposition: form-data', '1'), noName],
    ['if a part has no headers', '--x\r\n\r\n1\r\n--x--\r\n', noName],
    ['if the headers of a part do not end', '--x\r\na: b\r\n--x--\r\n', noName],
    ['if a part is an attachment', part('Content-Disposition: attachment; name="a"', '1'), noName],
    ['if a parameter is not closed', part('Content-Disposition: form-data; name="a', '1'), noName],
    ['if a header is too long', part(`Content-Disposition: form-data; name="${'a'.repeat(90_000)}"`, '1'), noName],
    [
      'if a part has an unknown encoding',
      part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: x-uu', '1'),
      "The Content-Transfer-Encoding of a part must be 'binary' or 'base64'.",
    ],
    [
      'if a part is not the base64 that it should be',
      part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'YQ==YQ*='),
      'A part of the multipart body is not base64, as its Content-Transfer-Encoding says.',
    ],
    [
      'if a field is not text',
      Buffer.from(part('Content-Disposition: form-data; name="a"', '\xe4'), 'latin1'),
      'Request body is not UTF-8 text.',
    ],
  ])('%s', async (_reason, body, detail) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { detail } });
    expect(await running.store.executions.openCount()).toBe(0);
  });

  it.each([
    'Content-Disposition: form-data; name="a"',
    'Content-Disposition : form-data; name="a"',
    'CONTENT-DISPOSITION:\tform-data; name="a"',
    'a: b',
  ])('if it has more than 1,000 parts, each with the header %s', async (header) => {
    const parts = `--x\r\n${header}\r\n\r\n1\r\n`;
    expect(await send(`${parts.repeat(60_000)}--x--\r\n`)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'too_many_values', loc: ['body'] }] },
    });
  });

  it('only above 1,000 parts', async () => {
    const parts = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(1_000);
    expect((await send(`${parts}--x--\r\n`)).status).toBe(200);
  });
});
