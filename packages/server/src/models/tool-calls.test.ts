import type { JsonObject, ModelMessage } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { AnthropicContent, writtenMessages } from './anthropic-content.ts';
import { OpenaiMessage } from './openai-tool-calls.ts';

const unmasked = (text: string): string => text;

/** Milliseconds of processor time. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** As many pieces as an answer of 2 MiB can have. Each of these takes seconds if it takes quadratic time. */
const many = 60_000;

function pieces(made: (n: number) => JsonObject): () => OpenaiMessage {
  return () => {
    const message = new OpenaiMessage(true);
    for (let n = 0; n < many; n += 1) message.add(made(n));
    return message;
  };
}

describe('an answer of a model in very many pieces is read in linear time', () => {
  test.each<[string, (n: number) => JsonObject]>([
    ['lists under a further key', (n) => ({ steps: [n] })],
    ['further keys', (n) => ({ [`key_${n}`]: n })],
    ['arguments', () => ({ tool_calls: [{ index: 0, function: { arguments: '1' } }] })],
    ['further keys of a call', (n) => ({ tool_calls: [{ index: 0, [`key_${n}`]: n }] })],
    ['pieces of 100 calls', (n) => ({ tool_calls: [{ index: n % 100, function: { arguments: '1' } }] })],
  ])('with %s', (_what, made) => {
    expect(cpuOf(pieces(made))).toBeLessThan(1000);
  });

  test('and many results of calls are written in linear time', () => {
    const results = Array.from({ length: many }, (_, n): ModelMessage => {
      return { role: 'tool', id: `call_${n}`, content: 'x', isError: false };
    });
    expect(cpuOf(() => writtenMessages([...results, ...results], 'm'))).toBeLessThan(1000);
    expect(writtenMessages([{ role: 'user', content: 'q' }, ...results.slice(0, 2)], 'm')).toEqual([
      { role: 'user', content: 'q' },
      { role: 'user', content: [0, 1].map((n) => expect.objectContaining({ tool_use_id: `call_${n}` })) },
    ]);
  });
});

describe('an answer with more than 128 tool calls is rejected', () => {
  const rejection = expect.objectContaining({ code: 'model_bad_response', retryable: true });
  const thrown = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  test('as soon as a piece of a stream begins the next one', () => {
    const message = new OpenaiMessage(true);
    const begin = (index: number) => message.add({ tool_calls: [{ index, function: { name: 'a' } }] });
    for (let index = 0; index < 128; index += 1) begin(index);
    expect(message.end(unmasked).calls).toHaveLength(128);
    expect(thrown(() => begin(128))).toEqual(rejection);
    const content = new AnthropicContent();
    const use = (index: number) => content.begin(index, { type: 'tool_use', id: `${index}`, name: 'a', input: {} });
    for (let index = 0; index < 128; index += 1) use(index);
    expect(content.end(unmasked).calls).toHaveLength(128);
    expect(thrown(() => use(128))).toEqual(rejection);
  });

  test('also if it comes as a whole', () => {
    const calls = Array.from({ length: 129 }, () => ({ function: { name: 'a', arguments: '{}' } }));
    expect(thrown(() => new OpenaiMessage(false).add({ tool_calls: calls }))).toEqual(rejection);
  });
});

test('a further key with the name of a prototype is an ordinary key', () => {
  const message = new OpenaiMessage(true);
  message.add(JSON.parse('{"__proto__": {"polluted": 1}, "tool_calls": [{"index": 0, "__proto__": {"polluted": 1}}]}'));
  expect(JSON.stringify(message.end(unmasked).extra)).toContain('"polluted":1');
  expect({}).not.toHaveProperty('polluted');
});
