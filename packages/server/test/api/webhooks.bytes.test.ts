import { connect } from 'node:net';
import { catalogue } from '@millrace/components';
import type { JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
});

/** The bytes that a webhook with this `respond` node sends, as Latin-1, until it closes the connection. */
async function bytesFrom(config: JsonObject, mode = 'respond_node') {
  await running.addWorkflow(member.user, 'hook', {
    nodes: { start: ['trigger_webhook', { response_mode: mode, auth: 'none' }], answer: ['respond', config] },
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
