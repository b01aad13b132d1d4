import { connect } from 'node:net';
import { catalogue } from '@millrace/components';
import type { Json, JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
});

/** The bytes that a webhook with this `respond` node sends, as Latin-1, until it closes the connection. */
async function bytesFrom(config: JsonObject) {
  await running.addWorkflow(member.user, 'hook', {
    nodes: { start: ['trigger_webhook', { response_mode: 'respond_node', auth: 'none' }], answer: ['respond', config] },
    edges: 'start -> answer',
  });
  const url = new URL(`http://${await running.listen()}`);
  const socket = connect({ port: Number(url.port), host: url.hostname });
  const lines = ['POST /api/v1/webhooks/hook HTTP/1.1', `Host: ${url.host}`, 'Connection: close', 'Content-Length: 0'];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let received = '';
  for await (const data of socket) received += (data as Buffer).toString('latin1');
  const end = received.indexOf('\r\n\r\n');
  const [status = '', ...fields] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(': ');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 2)];
    }),
  );
  return { status: Number(status.split(' ')[1]), headers, body: received.slice(end + 4) };
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const file = { name: 'a.bin', content_type: 'application/octet-stream', size: 1, base64: '/w==' };

describe('the bytes of a response', () => {
  it.each([
    ['a text', 'ok', 'ok'],
    ['a text with other characters', 'ä☃', utf8('ä☃')],
    ['an object', { a: 'ä' }, utf8('{"a":"ä"}')],
    ['null', null, 'null'],
    ['a file', file, '\xff'],
    ['an empty text', '', ''],
    ['a large text', 'x'.repeat(200_000), 'x'.repeat(200_000)],
  ])('contain headers in Latin-1 before %s', async (_what, body, sent) => {
    const disposition = 'attachment; filename="größe.txt"';
    const headers = { 'X-Name': 'ä ÿ', 'Content-Disposition': disposition };
    const answer = await bytesFrom({ headers, body });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-name': 'ä ÿ', 'content-disposition': disposition, 'content-length': String(sent.length) },
    });
    expect(answer.body === sent).toBe(true);
  });
});

const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('latin1');

describe('a body in the charset of its type', () => {
  it.each<[string, Json, string]>([
    ['text/html', 'ä', utf8('ä')],
    ['text/html; charset=UTF-8', 'ä☃', utf8('ä☃')],
    ['text/html; charset=iso-8859-1', 'ä ÿ', 'ä ÿ'],
    ['text/plain; charset="latin1"', 'ä', 'ä'],
    ['text/plain; charset=windows-1252', 'ä €Ÿ\u0081', 'ä \x80\x9f\x81'],
    ['text/plain; charset=us-ascii', 'a~', 'a~'],
    ['text/csv; charset=utf-16le', 'ä☃', utf16('ä☃')],
    ['text/csv; charset=utf-16', 'ä☃', `\xff\xfe${utf16('ä☃')}`],
    ['text/csv; charset=utf-16', '\uFEFFä', `\xff\xfe${utf16('ä')}`],
    ['application/json; charset=iso-8859-1', { a: 'ä' }, '{"a":"ä"}'],
    ['application/json; charset=iso-8859-1', { a: 'ä☃' }, '{"a":"\\u00e4\\u2603"}'],
    ['application/json; charset=us-ascii', ['☃'], '["\\u2603"]'],
    ['application/json; charset=utf-16le', ['ä'], utf16('["ä"]')],
    ['application/octet-stream; charset=klingon', file, '\xff'],
  ])('is written in it: %s, %j', async (type, body, sent) => {
    const answer = await bytesFrom({ headers: { 'Content-Type': type }, body });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': type }, body: sent });
  });

  it.each<[string, Json, string]>([
    [
      'text/html; charset=iso-8859-1',
      '€',
      "the charset 'iso-8859-1' of 'headers.content-type' does not have: use utf-8.",
    ],
    ['text/html; charset=windows-1252', '\u0080', "the charset 'windows-1252' of"],
    ['text/html; charset=us-ascii', 'ä', "the charset 'us-ascii' of"],
    ['text/html; charset=klingon', 'a', "has the charset 'klingon', which responses cannot have: use one of utf-8,"],
    ['application/json; charset=klingon', { a: 1 }, "has the charset 'klingon'"],
  ])('fails the step if it cannot be written in it: %s, %j', async (type, body, message) => {
    await expectFailed({ headers: { 'Content-Type': type }, body }, message);
  });
});

describe('a status without a body', () => {
  it.each([204, 205, 304])('fails the step if the config has one: %s', async (status) => {
    await expectFailed({ status, body: 'ok' }, `'body' must be empty: a response with status ${status} has no body.`);
  });

  it.each([{}, { body: null }, { body: '' }])('is sent with the config %j', async (config) => {
    const headers = { 'X-Name': 'ä', 'Content-Type': 'text/plain; charset=klingon' };
    const answer = await bytesFrom({ status: 204, headers, ...config });
    expect(answer).toMatchObject({ status: 204, headers: { 'x-name': 'ä' }, body: '' });
  });
});

/** The caller gets 500, and the execution has the reason. */
async function expectFailed(config: JsonObject, message: string): Promise<void> {
  expect((await bytesFrom(config)).status).toBe(500);
  const { id } = await running.onlyRun();
  const { body } = await member.get(`/api/v1/executions/${id}/`);
  expect(body).toMatchObject({ error_message: expect.stringContaining(message) });
}
