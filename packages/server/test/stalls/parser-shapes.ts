import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';

/** The most bytes of a webhook's body. */
const maxBody = 5 * 1_048_576;
/** Node accepts 16 KiB of request line and headers together. */
const maxHead = 15_000;

/** Fragments that parsers treat specially, each repeated up to the size of an input. */
const units: readonly string[] = [
  ...['a', ' ', '\t', '0', '9', '-', '.', ',', ';', ':', '=', '&', '%', '+', '/', '\\', '"', "'", '<', '>', '[', '{'],
  ...[
    '%4',
    '%41',
    '%C3',
    '%00',
    '&=',
    'a=',
    'a&',
    'a=1&',
    '=&',
    ';a=',
    '; ',
    ', ',
    '""',
    '\\"',
    '\\u0000',
    '====',
    'YQ==',
  ],
  ...['1,', '"",', '[],', '{},', '[[', '{"a":', '{"a":1},', '1e9,', '0.1234567890123456789,', 'null,', '\\\\'],
  ...['t=1,', 'v1=0,', 'a;q=0.1,', '<a>', '&#0;', '&amp;'],
];

/** Fragments that only bodies may have. */
const bodyUnits: readonly string[] = [
  ...units,
  ...[
    '\n',
    '\r',
    '\r\n',
    '\r\n\r\n',
    '\r\n-',
    '\r\n--',
    '\r\n--x',
    '--x\r\n',
    '--x--\r\n',
    '\r\n--x\r\n\r\n',
    '\0',
    'é',
    '\uFEFF',
  ],
];

/** A request of a sender without a key. */
type ShapedRequest = Required<Pick<InjectOptions, 'method' | 'url' | 'headers'>> & Pick<InjectOptions, 'payload'>;

/** An input of the largest size for one parser. */
export interface ParserShape {
  readonly name: string;
  /** Made when it is sent: all shapes together are larger than the memory. */
  readonly request: () => ShapedRequest;
}

function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

/** A body of at most the allowed size, whatever it is put into. */
function bodyOf(unit: string, frame: (fill: string) => string): string {
  return frame(filled(unit, maxBody - Buffer.byteLength(frame(''))));
}

function body(
  path: string,
  type: string,
  payload: string | Buffer,
  headers: Record<string, string> = {},
): ShapedRequest {
  return { method: 'POST', url: `/api/v1/webhooks/${path}`, headers: { 'content-type': type, ...headers }, payload };
}

function head(path: string, headers: Record<string, string>): ShapedRequest {
  return { method: 'POST', url: `/api/v1/webhooks/${path}`, headers, payload: '' };
}

function shapes(from: readonly string[], request: (unit: string) => ShapedRequest): readonly ParserShape[] {
  return from.map((unit) => ({ name: JSON.stringify(unit), request: () => request(unit) }));
}

const multipart = 'multipart/form-data; boundary=x';
const disposition = 'content-disposition: form-data; name="a"';
const form = 'application/x-www-form-urlencoded';

function url(unit: string, start: string): string {
  return `${start}${filled(encodeURIComponent(unit).replaceAll('%25', '%'), maxHead)}`.replace(
    /%(?![0-9A-F]{2})/g,
    '%25',
  );
}

/** The parsers that anybody reaches without a key, each with its inputs. */
export const parsers: ReadonlyMap<string, readonly ParserShape[]> = new Map([
  [
    'a JSON body',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        'application/json',
        bodyOf(unit, (fill) => `[${fill}1]`),
      ),
    ),
  ],
  [
    'a JSON text',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        'application/json',
        bodyOf(unit, (fill) => `"${fill}"`),
      ),
    ),
  ],
  [
    'JSON with a charset',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        'application/json; charset=gb18030',
        bodyOf(unit, (fill) => `[${fill}1]`),
      ),
    ),
  ],
  [
    'a form',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        form,
        bodyOf(unit, (fill) => fill),
      ),
    ),
  ],
  [
    'a field of a form',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        form,
        bodyOf(unit.replaceAll('&', '%26'), (fill) => `a=${fill}`),
      ),
    ),
  ],
  [
    'a form with a charset',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        `${form}; charset=shift_jis`,
        bodyOf(unit.replaceAll('&', '%'), (fill) => fill),
      ),
    ),
  ],
  [
    'multipart',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        multipart,
        bodyOf(unit, (fill) => fill),
      ),
    ),
  ],
  [
    'the parts of multipart',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        multipart,
        bodyOf(`--x\r\n${unit}${disposition}\r\n\r\n1\r\n`, (fill) => `${fill}--x--`),
      ),
    ),
  ],
  [
    'a part of multipart',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        multipart,
        bodyOf(unit, (fill) => `--x\r\n${disposition}\r\n\r\n${fill}\r\n--x--`),
      ),
    ),
  ],
  [
    'the headers of a part',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        multipart,
        bodyOf(unit, (fill) => `--x\r\n${disposition}${fill}\r\n\r\n1\r\n--x--`),
      ),
    ),
  ],
  [
    'the name of a part',
    shapes(bodyUnits, (unit) => {
      const part = `--x\r\ncontent-disposition: form-data; name="${filled(unit, 60_000)}"\r\n\r\n1\r\n`;
      return body(
        'open',
        multipart,
        bodyOf(part, (fill) => `${fill}--x--`),
      );
    }),
  ],
  [
    'base64 in multipart',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        multipart,
        bodyOf(unit, (fill) => `--x\r\n${disposition}\r\ncontent-transfer-encoding: base64\r\n\r\n${fill}\r\n--x--`),
      ),
    ),
  ],
  [
    'XML',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        'text/xml',
        bodyOf(unit, (fill) => `<?xml ${fill}?>`),
      ),
    ),
  ],
  [
    'text',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        'text/plain; charset=gb18030',
        bodyOf(unit, (fill) => fill),
      ),
    ),
  ],
  ['gzip', shapes(bodyUnits, (unit) => encoded('gzip', gzipSync, unit))],
  ['deflate', shapes(bodyUnits, (unit) => encoded('deflate', deflateSync, unit))],
  ['br', shapes(bodyUnits, (unit) => encoded('br', (bytes) => brotliCompressSync(bytes), unit))],
  [
    'data that is not gzip',
    shapes(bodyUnits, (unit) =>
      body(
        'open',
        form,
        bodyOf(unit, (fill) => fill),
        { 'content-encoding': 'gzip' },
      ),
    ),
  ],
  ['a query', shapes(units, (unit) => ({ ...head('open', {}), url: url(unit, '/api/v1/webhooks/open?') }))],
  ['a path', shapes(units, (unit) => ({ ...head('open', {}), url: url(unit, '/api/v1/callbacks/') }))],
  ['a challenge in the query', shapes(units, (unit) => ({ ...head('meta', {}), method: 'GET', url: url(unit, meta) }))],
  [
    'a challenge in the body',
    shapes(bodyUnits, (unit) =>
      body(
        'slack',
        'application/json',
        bodyOf(unit, (fill) => `{"type":"url_verification","challenge":"${fill}"}`),
      ),
    ),
  ],
  ['a header', shapes(units, (unit) => head('open', { 'x-anything': filled(unit, maxHead) }))],
  ['many headers', shapes(units, (unit) => head('open', manyHeaders(unit)))],
  ['a content type', shapes(units, (unit) => body('open', `${form};${filled(unit, maxHead)}`, 'a=1'))],
  [
    'a boundary',
    shapes(units, (unit) =>
      body('open', `multipart/form-data; boundary=${filled(unit, maxHead)}`, filled(unit, maxBody)),
    ),
  ],
  [
    'a content encoding',
    shapes(units, (unit) => body('open', form, 'a=1', { 'content-encoding': filled(unit, maxHead) })),
  ],
  ['an idempotency key', shapes(units, (unit) => head('open', { 'idempotency-key': filled(unit, maxHead) }))],
  ['a cookie', shapes(units, (unit) => head('open', { cookie: filled(unit, maxHead) }))],
  ['a bearer key', shapes(units, (unit) => head('open', { authorization: `Bearer ${filled(unit, maxHead)}` }))],
  ['a password', shapes(units, (unit) => head('basic', { authorization: `Basic ${filled(unit, maxHead)}` }))],
  [
    'a base64 password',
    shapes(units, (unit) =>
      head('basic', { authorization: `Basic ${Buffer.from(filled(unit, 10_000)).toString('base64')}` }),
    ),
  ],
  [
    'a signature',
    shapes(units, (unit) =>
      body('stripe', 'application/json', filled(unit, maxBody), { 'stripe-signature': filled(unit, maxHead) }),
    ),
  ],
  [
    'a signature with its time',
    shapes(units, (unit) =>
      body('stripe', 'application/json', filled(unit, maxBody), {
        'stripe-signature': `t=1,v1=${filled(unit, maxHead)}`,
      }),
    ),
  ],
]);

const meta = '/api/v1/webhooks/meta?hub.mode=subscribe&hub.challenge=1&hub.verify_token=';

function encoded(name: string, encode: (bytes: Buffer) => Buffer, unit: string): ShapedRequest {
  return body('open', form, encode(Buffer.from(bodyOf(unit, (fill) => fill))), { 'content-encoding': name });
}

/** As many headers as Node reads. */
function manyHeaders(unit: string): Record<string, string> {
  const names = Array.from({ length: 900 }, (_, index) => `x-${index}`);
  return Object.fromEntries(names.map((name) => [name, unit]));
}
