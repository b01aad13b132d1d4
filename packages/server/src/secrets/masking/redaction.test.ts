import { finishedText, Meter, type OutboundResponse, runThrough, type SlicedText, StepError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './redaction.ts';

const secret = "a/secret 'of' (é)+<&>\\\"%";
/** The part that no encoding changes: in plain text, in HTML, and in base64 at each of its three offsets. */
const trace = /secret|736563726574|#115;&#101;|#x73;&#x65;|c2Vjcm|NlY3Jl|zZWNyZ/i;

async function redacted(bytes: Buffer, headers = {}, secrets = [secret]) {
  const body = { size: bytes.length, text: () => bytes.toString(), base64: () => bytes.toString('base64') };
  const url = `https://a.example/${encodeURIComponent(secret)}`;
  const sent = Promise.resolve({ url, isFromHome: true, status: 200, headers, body });
  const answer: OutboundResponse = await withoutSecrets(sent, secrets);
  const all = (text: SlicedText): string => runThrough(finishedText(text));
  const sliced = (meter: Meter): SlicedText => answer.body.text(meter);
  return { ...answer, body: { text: () => all(answer.body.text()), base64: () => all(answer.body.base64()), sliced } };
}

const base64 = Buffer.from(secret).toString('base64');
const inJson = JSON.stringify(secret);
const escapes = (text: string, which: RegExp, digits: (hex: string) => string = (hex) => hex) =>
  text.replace(which, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
const hex = Buffer.from(secret).toString('hex');
const entities = (text: string, which: RegExp, write: (code: number) => string) =>
  text.replace(which, (character) => write(character.codePointAt(0) ?? 0));
const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const htmlNames = secret.replace(/[&<>"']/g, (character) => names[character] ?? '');
const upper = (hex: string) => hex.toUpperCase();
const everything = [...new TextEncoder().encode(secret)]
  .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
  .join('');

/** The secret as servers may write it. */
const forms: readonly (readonly [where: string, text: string])[] = [
  ['as it is', secret],
  ['in JSON', inJson],
  ['in JSON of ASCII only', escapes(inJson, /[^ -~]/g)],
  ['in JSON of ASCII only with capital digits', escapes(inJson, /[^ -~]/g, upper)],
  ['in JSON that may stand in HTML', escapes(inJson, /[<>&]/g)],
  [
    'in JSON that escapes what it may',
    inJson.replaceAll('\\"', '\\u0022').replace(/[+<>&']/g, (c) => escapes(c, /./g, upper)),
  ],
  ['in JSON that escapes everything', `"${escapes(secret, /./g)}"`],
  ['in JSON with slashes escaped', inJson.replaceAll('/', '\\/')],
  ['in a URL', encodeURIComponent(secret)],
  ['in a URL that leaves much as it is', encodeURI(secret)],
  ['in a URL that leaves slashes as they are', encodeURIComponent(secret).replaceAll('%2F', '/')],
  ['in a URL object', new URL(`https://a.example/?key=${encodeURIComponent(secret)}`).search],
  ['in a URL that leaves nothing as it is', everything.toUpperCase()],
  ['in a URL with small digits', everything],
  ['in a form', new URLSearchParams({ key: secret }).toString()],
  ['in a URL within a URL', encodeURIComponent(`/?key=${encodeURIComponent(secret)}`)],
  ['in a URL with small digits within a URL', encodeURIComponent(everything)],
  ['in a form within a form', new URLSearchParams({ to: `${new URLSearchParams({ key: secret })}` }).toString()],
  ['in hexadecimal digits', hex],
  ['in capital hexadecimal digits', hex.toUpperCase()],
  ['inside of hexadecimal digits', Buffer.from(`"Bearer ${secret} and more`).toString('hex')],
  ['in HTML with names', htmlNames],
  ['in HTML with names for what is not between quotes', htmlNames.replaceAll('&quot;', '"').replaceAll('&apos;', "'")],
  ['in HTML with numbers of three digits', htmlNames.replaceAll('&apos;', '&#039;')],
  ['in HTML with numbers', entities(secret, /[<>&"']/g, (code) => `&#${code};`)],
  ['in HTML with hexadecimal numbers', entities(secret, /[<>&"']/g, (code) => `&#x${code.toString(16)};`)],
  [
    'in HTML with capital hexadecimal numbers',
    entities(secret, /./gu, (code) => `&#X${code.toString(16).toUpperCase()};`),
  ],
  ['in HTML that escapes everything', entities(secret, /./gu, (code) => `&#${code};`)],
  [
    'in HTML that escapes everything, in hexadecimal numbers',
    entities(secret, /./gu, (code) => `&#x${code.toString(16)};`),
  ],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(secret))],
  ['in JSON of ASCII only, within JSON', JSON.stringify(escapes(JSON.stringify(secret), /[^ -~]/g))],
  ['in HTML of ASCII only, within JSON', JSON.stringify(entities(htmlNames, /[^ -~]/g, (code) => `&#${code};`))],
  ['in HTML within JSON that may stand in HTML', escapes(JSON.stringify(htmlNames), /[<>&]/g)],
  ['in base64', base64],
  ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
  ['in base64 with slashes escaped', base64.replaceAll('/', '\\/')],
  ['in base64 with everything escaped', base64.replace(/[+/=]/g, (c) => escapes(c, /./g, upper))],
  ['in base64 in a URL', encodeURIComponent(base64)],
  ['in base64 in a URL within a URL', encodeURIComponent(encodeURIComponent(base64))],
  ['inside of base64', Buffer.from(`Bearer ${secret} and more`).toString('base64')],
  ['inside of base64, a byte later', Buffer.from(`"Bearer ${secret}`).toString('base64')],
  ['inside of base64, two bytes later', Buffer.from(`_"Bearer ${secret}`).toString('base64')],
];

describe('a secret in an answer', () => {
  it('is masked in the URL of the answer', async () => {
    expect((await redacted(Buffer.from(''))).url).toBe('https://a.example/****');
  });

  it.each(forms)('is masked %s', async (_where, text) => {
    expect(Buffer.from(text).toString()).toBe(text);
    const { headers, body } = await redacted(Buffer.from(`before ${text} after`), { 'x-seen': text });
    expect(body.text()).toMatch(/^before .*\*{4}.* after$/);
    expect(headers['x-seen']).toContain('****');
    for (const part of [body.text(), headers['x-seen'], Buffer.from(body.base64(), 'base64').toString()]) {
      expect(part).not.toMatch(trace);
    }
  });

  it('is recognized by its trace', () => {
    for (const before of ['', '_', '__']) expect(Buffer.from(before + secret).toString('base64')).toMatch(trace);
  });

  it('is masked in the name of a header, which is in lower case', async () => {
    const { headers } = await redacted(Buffer.from(''), { 'x-tok-abcdefgh': '1' }, ['Tok-ABCDefgh']);
    expect(headers).toEqual({ 'x-****': '1' });
  });

  it('is masked in JSON, which remains valid', async () => {
    const texts = fc.string({ minLength: 8, unit: fc.constantFrom('\\', '"', '/', 'a', '%', '+', 'é', '2', '5', 'u') });
    const writers = fc.constantFrom(
      JSON.stringify,
      (value: unknown) => JSON.stringify(value).replaceAll('/', '\\/'),
      (value: unknown) => escapes(JSON.stringify(value), /[^ -~]|[+'&]/g, upper),
    );
    await fc.assert(
      fc.asyncProperty(texts, writers, async (key, write) => {
        const { body } = await redacted(Buffer.from(write({ key, [key]: 1 })), {}, [key]);
        expect(JSON.parse(body.text())).toEqual({ key: '****', '****': 1 });
      }),
    );
  });

  it('is not searched for endlessly in a text made for that: the rest is masked', async () => {
    const text = 'a'.repeat(2_000_000);
    const { body } = await redacted(Buffer.from(text), {}, [`${'a'.repeat(8000)}b`]);
    expect(body.text()).toMatch(/^a{0,9999}\*{4}$/);
  });

  it('is masked without changing the bytes around it', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect((await redacted(bytes)).body.base64()).toBe(bytes.toString('base64'));
    const { body } = await redacted(Buffer.concat([bytes, Buffer.from(secret), bytes]));
    expect(body.base64()).toBe(Buffer.concat([bytes, Buffer.from('****'), bytes]).toString('base64'));
  });

  it('is masked, however long it is', async () => {
    const long = Array.from({ length: 8192 }, (_, index) => String.fromCharCode(33 + ((index * 7919) % 94))).join('');
    const { body } = await redacted(Buffer.from(JSON.stringify({ seen: `Bearer ${long}` })), {}, [long]);
    expect(body.text()).toBe('{"seen":"Bearer ****"}');
  });
});

describe('a secret in a long answer', () => {
  it('is masked wherever it is in a long text', async () => {
    const place = fc.nat(140_000);
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(secret, encodeURIComponent(everything)), async (length, written) => {
        const { body } = await redacted(Buffer.from(`${'b'.repeat(length)}${written}${'b'.repeat(140_000 - length)}`));
        expect(body.text().split('b').join('')).toBe('****');
      }),
    );
  });

  it('is searched for in slices, which the meter of the step limits', async () => {
    const { body } = await redacted(Buffer.from('sk-b'.repeat(2_000_000)), {}, ['sk-'.repeat(1000)]);
    let pauses = 0;
    for (const _pause of body.sliced(new Meter(() => 0)) as Iterable<undefined>) pauses += 1;
    expect(pauses).toBeGreaterThan(100);
    const small = new Meter(() => 0, 1000);
    expect(() => runThrough(finishedText(body.sliced(small)))).toThrow(expect.objectContaining({ code: 'work_limit' }));
  });
});

it('is masked in an error, which is otherwise unchanged', async () => {
  const options = { retryable: true, retryAfterMs: 5, metadata: { a: 1 } };
  const failed = Promise.reject(new StepError('http_connection', 'No response from tok-abcdefgh.invalid.', options));
  const message = 'No response from ****.invalid.';
  const error = await withoutSecrets(failed, ['Tok-abcdEFGH']).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'http_connection', message, ...options });
});
