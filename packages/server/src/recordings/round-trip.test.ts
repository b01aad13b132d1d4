import { cassette } from '@millrace/contract';
import type { Json, JsonObject, ModelAnswer, ModelRequest, OutboundRequest, OutboundResponse } from '@millrace/core';
import { runThrough, StepError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodedText } from '../ground/charsets.ts';
import { commandKind, commandWriter } from './command-kind.ts';
import { gitKind, gitWriter } from './git-kind.ts';
import { httpKind } from './http-kind.ts';
import { httpWriter } from './http-writer.ts';
import { answerBy, type Failable, failureIn, type Kind, type Writer } from './kind.ts';
import { unlimited } from './matching.ts';
import { mcpKind, mcpWriter } from './mcp-kind.ts';
import { modelKind, modelWriter } from './model-kind.ts';

/** The schemas of the API drop this key. */
const isAccepted = (value: unknown): boolean => !JSON.stringify(value).includes('__proto__');

/** Values, some of which a test file would read as a part of another value. */
const json = fc
  .oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.jsonValue({ maxDepth: 1 }).map((part) => ({ contains: part })),
    fc.jsonValue({ maxDepth: 1 }).map((part) => [{ a: { contains: part } }]),
  )
  .filter(isAccepted) as fc.Arbitrary<Json>;
const object = fc.dictionary(fc.string(), json).filter(isAccepted) as fc.Arbitrary<JsonObject>;

/** An exchange, written as an entry, read from a file, and used for the same request. */
async function again<Entry extends Failable, Asked, Answer>(
  kind: Kind<Entry, Asked, Answer>,
  writer: Writer<Entry, Asked, Answer>,
  [asked, answer]: readonly [Asked, Answer],
): Promise<Answer> {
  const written = JSON.parse(JSON.stringify(await writer.entryOf(asked, answer))) as Json;
  const read = cassette.parse({ [kind.key]: [written] });
  const [entry] = (read[kind.key] ?? []) as unknown as readonly Entry[];
  if (entry === undefined) throw new Error('the entry is missing');
  expect(runThrough(kind.fitting(asked, unlimited)(entry))).toBe(true);
  expect(kind.nameOf(entry, 0)).not.toBe('');
  return answerBy(kind, entry, asked);
}

const url = fc.webUrl();
const files = [{ base64: Buffer.from('file').toString('base64') }, '\r\n--0a1b--\r\n'];
const multipart = { 'Content-Type': 'multipart/form-data; boundary=0a1b' };
const request: fc.Arbitrary<OutboundRequest> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  url,
  headers: fc.constantFrom({}, multipart),
  body: fc.oneof(
    fc.constant(null),
    fc.constant(['--0a1b\r\n\r\n', ...files]),
    fc.string(),
    json.map((value) => JSON.stringify(value)),
  ),
});

function response(type: string, bytes: Buffer, at: string): OutboundResponse {
  const body = { size: bytes.length, text: () => decodedText(bytes, type), base64: () => bytes.toString('base64') };
  return { url: at, isFromHome: true, status: 200, headers: { 'content-type': type }, body };
}

const bytes = fc.oneof(
  fc.tuple(fc.constant('application/json'), json).map(([type, value]) => [type, JSON.stringify(value)] as const),
  fc.tuple(fc.constantFrom('application/json; charset=utf-8', 'text/html'), fc.string()),
  fc.constant(['text/plain; charset=utf-16le', Buffer.from('Ärger', 'utf16le')] as const),
  fc
    .uint8Array()
    .map(
      (array) => [`${array.length % 2 === 0 ? 'application/octet-stream' : 'text/plain'}`, Buffer.from(array)] as const,
    ),
);

/** What a component can see of a response. */
function seen({ url: at, status, headers, cookies, body }: OutboundResponse) {
  const text = body.text();
  const isJson = /json/.test(headers['content-type'] ?? '');
  return { at, status, headers, cookies, text: isJson && typeof text === 'string' ? parsed(text) : text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

describe('a recorded exchange gives the same answer to the same request', () => {
  test('over HTTP', async () => {
    const answer = fc.record({ type: bytes, at: url, cookies: fc.array(fc.string(), { maxLength: 2 }) });
    const exchange = fc.tuple(request, answer).map(
      ([
        asked,
        {
          type: [type, body],
          at,
          cookies,
        },
      ]) => {
        const given = response(type, Buffer.from(body), at);
        return [asked, { ...given, ...(cookies.length > 0 && { cookies }) }] as const;
      },
    );
    await fc.assert(
      fc.asyncProperty(exchange, async (one) => {
        expect(seen(await again(httpKind, httpWriter, one))).toEqual(seen(one[1]));
      }),
    );
  });

  test('of a file, byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.uint8Array(), async (asked, array) => {
        const given = response('application/octet-stream', Buffer.from(array), asked.url);
        const { body } = await again(httpKind, httpWriter, [asked, given]);
        expect({ size: body.size, base64: body.base64() }).toEqual({ size: array.length, base64: given.body.base64() });
      }),
    );
  });

  test('of a model', async () => {
    const call = fc.record(
      { id: fc.string(), tool: fc.string(), arguments: object },
      { requiredKeys: ['id', 'tool', 'arguments'] },
    );
    const text = fc.string();
    const usage = { inputTokens: fc.nat(), outputTokens: fc.nat() };
    const answer: fc.Arbitrary<ModelAnswer> = fc.oneof(
      fc.record({ text, stop: fc.constantFrom('end', 'length', 'refusal', 'other'), ...usage }),
      fc.record({ text, stop: fc.constantFrom('calls', 'length'), calls: fc.array(call, { minLength: 1 }), ...usage }),
      fc.record({
        text,
        stop: fc.constant('calls'),
        calls: fc.array(call, { minLength: 1 }),
        raw: fc.record({ protocol: text, model: text, message: json }),
        ...usage,
        cachedInputTokens: fc.integer({ min: 1 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, answer, async (content, given) => {
        const asked = { askedBy: 'ai', messages: [{ role: 'user', content }] } as unknown as ModelRequest;
        expect(await again(modelKind, modelWriter, [asked, given])).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});

describe('a recorded program gives the same answer to the same request', () => {
  test('that is a command', async () => {
    const asked = fc.record({ name: fc.string({ minLength: 1 }), args: fc.array(fc.string()), input: json });
    const result = fc.record({
      exitCode: fc.integer({ min: 0, max: 255 }),
      stdout: fc.string(),
      stderr: fc.string(),
      cut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.tuple(asked, result), async (one) => {
        expect(await again(commandKind, commandWriter, one)).toEqual(one[1]);
      }),
    );
  });

  test('that is git', async () => {
    const asked = fc.record({
      operation: fc.constantFrom('clone', 'commit', 'push'),
      url,
      branch: fc.option(fc.string()),
      depth: fc.nat(),
      paths: fc.array(fc.string()),
      files: fc.dictionary(fc.constantFrom('a', 'contains'), fc.option(fc.string())),
      message: fc.string(),
      author: fc.record({ name: fc.string(), email: fc.string() }),
      push: fc.boolean(),
      workspace: fc.option(fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(fc.tuple(asked, object), async (one) => {
        expect(await again(gitKind, gitWriter, one)).toEqual(JSON.parse(JSON.stringify(one[1])));
      }),
    );
  });

  test('that is an MCP server', async () => {
    const nodeId = fc.string({ minLength: 1 });
    const tool = fc.record({ name: fc.string(), description: fc.string(), parameters: object });
    const exchange = fc.oneof(
      fc.tuple(fc.record({ nodeId, call: fc.constant(null) }), fc.record({ tools: fc.array(tool) })),
      fc.tuple(
        fc.record({ nodeId, call: fc.record({ tool: fc.string(), args: object }) }),
        fc.record({
          answer: fc.record({ content: fc.array(object), structured: json, isError: fc.boolean() }),
        }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(exchange, async (one) => {
        expect(await again(mcpKind, mcpWriter, one)).toEqual(JSON.parse(JSON.stringify(one[1])));
      }),
    );
  });
});

test('a recorded failure fails with the same code, and is retried in the same way', () => {
  const error = new StepError('model_rate_limited', 'Slow down.', {
    retryable: true,
    notPerformed: true,
    retryAfterMs: 5,
  });
  const asked = { name: 'print', args: [], input: null };
  const entry = { ...commandWriter.askedIn(asked), fails: failureIn(error) };
  expect(cassette.parse({ commands: [entry] })).toEqual({ commands: [entry] });
  let thrown: unknown;
  try {
    answerBy(commandKind, entry, asked);
  } catch (again) {
    thrown = again;
  }
  const { code, message, retryable, notPerformed, retryAfterMs } = error;
  expect(thrown).toMatchObject({ code, message, retryable, notPerformed, retryAfterMs });
});
