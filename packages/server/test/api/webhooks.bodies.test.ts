import { webhookAccepted } from '@millrace/contract';
import type { Json, JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/webhooks/hook';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
});

function addHook(config: JsonObject = {}) {
  return running.addWorkflow(member.user, 'hook', { nodes: { start: ['trigger_webhook', config] } });
}

function send(contentType: string | null, payload: string | Buffer) {
  const headers: Record<string, string> = contentType === null ? {} : { 'content-type': contentType };
  return member.inject({ method: 'POST', url: path, headers, payload });
}

async function payloadOf(contentType: string | null, body: string | Buffer): Promise<Json | undefined> {
  const answer = await send(contentType, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  const { execution_id: id } = webhookAccepted.parse(answer.body);
  return (await running.store.executions.detail(id))?.trigger.payload;
}

/** The bytes of a form as browsers and `fetch` send it, and their content type. */
async function encoded(form: FormData): Promise<[string, Buffer]> {
  const request = new Request('http://localhost', { method: 'POST', body: form });
  return [request.headers.get('content-type') ?? '', Buffer.from(await request.arrayBuffer())];
}

const klingon = "The charset 'klingon' is not supported: send UTF-8.";

/** Content types, bodies and their payloads. */
const parsed: [string | null, string | Buffer, Json][] = [
  [null, '{"n":1}', { n: 1 }],
  ['application/json; charset=utf-8', '[1]', [1]],
  ['Application/JSON', '1', 1],
  ['application/json', '{"n":1,"a":{"n":1,"n":2},"n":3}', { n: 3, a: { n: 2 } }],
  ['application/cloudevents+json', '{"n":1}', { n: 1 }],
  ['application/x-www-form-urlencoded', 'a=1&b=x+y&b=%26', { a: '1', b: ['x y', '&'] }],
  ['text/plain', '{"n":1}', '{"n":1}'],
  ['text/plain; charset=iso-8859-1', Buffer.from([0xe4]), 'ä'],
  ['application/x-www-form-urlencoded', 'a=%C3%A4&a=%zz%4&b', { a: ['ä', '%zz%4'], b: '' }],
  ['application/x-www-form-urlencoded; charset=iso-8859-1', 'name=Z%FCrich+1', { name: 'Zürich 1' }],
  ["application/x-www-form-urlencoded; charset='iso-8859-1'", 'name=Z%FCrich', { name: 'Zürich' }],
  ['text/plain; charset=us-ascii', 'ä', 'ä'],
  [
    'text/xml',
    '<?xml version="1.0" encoding="US-ASCII"?><a>ä</a>',
    '<?xml version="1.0" encoding="US-ASCII"?><a>ä</a>',
  ],
  ['application/x-www-form-urlencoded; charset=windows-1252', Buffer.from('n=\x80', 'latin1'), { n: '€' }],
  ['application/x-www-form-urlencoded; charset=Shift_JIS', 'n=%82%A0', { n: 'あ' }],
  ['application/x-www-form-urlencoded', '\uFEFFa=1', { a: '1' }],
  ['application/json', '\uFEFF{"n":1}', { n: 1 }],
  ['application/json; charset=iso-8859-1', Buffer.from('"\xe4"', 'latin1'), 'ä'],
  ['application/json; charset=utf-16', Buffer.from('\uFEFF{"n":1}', 'utf16le'), { n: 1 }],
  ['text/plain', '\uFEFFa', 'a'],
  ['text/csv', Buffer.from('\uFEFFa,ä', 'utf16le'), 'a,ä'],
  ['text/xml', '\uFEFF<a/>', '<a/>'],
  [
    'text/xml',
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe4</a>', 'latin1'),
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>',
  ],
  [
    'application/xml; charset=utf-8',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>',
  ],
  [
    'application/soap+xml',
    Buffer.from("<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>", 'latin1'),
    "<?xml version='1.0' encoding='windows-1252'?><a>€</a>",
  ],
  ['text/csv', 'a,b', 'a,b'],
  ['application/xml', '<a>é</a>', '<a>é</a>'],
  ['application/xml', Buffer.from('<?xml version="1.0"?><a>é</a>', 'utf16le'), '<?xml version="1.0"?><a>é</a>'],
  ['text/xml', Buffer.from('<a>é</a>', 'utf16le').swap16(), '<a>é</a>'],
  ['text/xml', '<?xml version="1.0" encoding="utf-16"?><a>é</a>', '<?xml version="1.0" encoding="utf-16"?><a>é</a>'],
  ['application/soap+xml; action="x"', '<a/>', '<a/>'],
  [
    'application/pdf',
    Buffer.from([0, 255]),
    { name: 'file', content_type: 'application/pdf', size: 2, base64: 'AP8=' },
  ],
];

describe('the body of a webhook', () => {
  beforeEach(() => addHook());

  it.each(parsed)('of type %s is parsed as that type', async (contentType, body, payload) => {
    expect(await payloadOf(contentType, body)).toEqual(payload);
  });

  it('of any other type becomes a file with the same bytes', async () => {
    const types = fc.constantFrom('application/octet-stream', 'image/png', 'video/mp4', 'application/x-unknown');
    await fc.assert(
      fc.asyncProperty(types, fc.uint8Array({ minLength: 1, maxLength: 500 }), async (type, content) => {
        const base64 = Buffer.from(content).toString('base64');
        const file = { name: 'file', content_type: type, size: content.length, base64 };
        expect(await payloadOf(type, Buffer.from(content))).toEqual(file);
      }),
      { numRuns: 20 },
    );
  });

  it('in multipart becomes an object of fields and files, exactly as sent', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.uint8Array({ maxLength: 500 }), async (value, name, content) => {
        const form = new FormData();
        form.append('one', value);
        form.append('two', 'a');
        form.append('two', value);
        form.append('__proto__', 'p');
        form.append('file', new File([content], `f${name}`, { type: 'image/png' }));
        // Browsers send the line breaks of a field as CRLF.
        const sent = value.replace(/\r\n|\r|\n/g, '\r\n');
        const file = {
          content_type: 'image/png',
          size: content.length,
          base64: Buffer.from(content).toString('base64'),
        };
        const payload = await payloadOf(...(await encoded(form)));
        expect(payload).toMatchObject({ one: sent, two: ['a', sent], file });
        expect(Object.keys(payload ?? {})).toEqual(['one', 'two', '__proto__', 'file']);
      }),
      { numRuns: 20 },
    );
  });

  it.each<[string, string | Buffer, number, string]>([
    ['application/json', 'hello', 400, 'Request body is not valid JSON.'],
    ['application/problem+json', '{', 400, 'Request body is not valid JSON.'],
    ['text/plain', Buffer.from([0xff]), 400, 'Request body is not UTF-8 text.'],
    ['text/plain; charset=shift_jis', Buffer.from([0x61, 0x81]), 400, 'Request body is not SHIFT_JIS text.'],
    ['text/plain; charset=utf-16le', Buffer.from([0x00, 0xd8]), 400, 'Request body is not UTF-16LE text.'],
    ['text/plain; charset=gbk', Buffer.from([0x61, 0xff]), 400, 'Request body is not GBK text.'],
    [
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding="EUC-JP"?><a>\xff</a>', 'latin1'),
      400,
      'Request body is not EUC-JP text.',
    ],
    ['application/x-www-form-urlencoded', 'a=%E4', 400, 'Request body is not UTF-8 text.'],
    ['application/x-www-form-urlencoded; charset=klingon', 'a=1', 415, klingon],
    ['application/json; charset=klingon', '1', 415, klingon],
    ['text/xml', '<?xml version="1.0" encoding="klingon"?><a/>', 415, klingon],
    ['text/plain; charset=klingon', 'a', 415, klingon],
    [
      'multipart/form-data; boundary=x',
      '--y\r\n\r\n--y--',
      400,
      'Request body is not multipart with the boundary in its Content-Type.',
    ],
    ['multipart/form-data', 'a', 400, 'Request body is not multipart with the boundary in its Content-Type.'],
  ])('of type %s with invalid content is rejected', async (type, body, status, detail) => {
    expect(await send(type, body)).toMatchObject({ status, body: { detail } });
    expect(await running.store.executions.openCount()).toBe(0);
  });
});

describe('a trigger that accepts', () => {
  const bodies = {
    json: ['application/json', '{}'],
    form: ['application/x-www-form-urlencoded', 'a=1'],
    multipart: [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
    ],
    text: ['text/plain', 'a'],
    xml: ['text/xml', '<a/>'],
    png: ['image/png', 'a'],
    pdf: ['application/pdf', 'a'],
  } as const;
  const names = Object.keys(bodies) as (keyof typeof bodies)[];

  it.each<[string[], (keyof typeof bodies)[]]>([
    [['json'], ['json']],
    [
      ['form', 'multipart'],
      ['form', 'multipart'],
    ],
    [
      ['text', 'xml'],
      ['text', 'xml'],
    ],
    [['file'], ['png', 'pdf']],
    [
      ['image/*', 'application/json'],
      ['json', 'png'],
    ],
    [['application/pdf'], ['pdf']],
  ])('%j rejects all others, and names what it accepts', async (accepts, taken) => {
    await addHook({ accepts });
    for (const name of names) {
      const [type, body] = bodies[name];
      const answer = await send(type, body);
      expect([name, answer.status]).toEqual([name, taken.includes(name) ? 200 : 415]);
      if (answer.status === 415) {
        const detail = `Content-Type '${type}' is not accepted: this webhook accepts ${accepts.join(', ')}.`;
        expect(answer.body).toEqual({ detail });
      }
    }
    expect((await send(null, '')).status).toBe(200);
  });

  it('only some types does not read a body of another type', async () => {
    await addHook({ accepts: ['text'] });
    expect(await send(null, '{')).toMatchObject({
      status: 415,
      body: { detail: 'A body without a Content-Type is not accepted: this webhook accepts text.' },
    });
  });
});

describe('the content type of a webhook', () => {
  it.each([
    ['Text/CSV; header=present', 'text/csv'],
    ['application/json', 'application/json'],
    [null, null],
  ])('%s is in trigger.content_type', async (type, expected) => {
    running.runner.start();
    await running.addWorkflow(member.user, 'hook', {
      nodes: {
        start: ['trigger_webhook', { response_mode: 'respond_node' }],
        say: ['respond', { body: { type: '{{ trigger.content_type }}' } }],
      },
      edges: 'start -> say',
    });
    expect(await send(type, '1')).toMatchObject({ status: 200, body: { type: expected } });
  });
});
