import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { exactJson } from '../base/exact-json.ts';
import { Meter, runThrough } from '../base/meter.ts';
import { StepError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Captured } from './component.ts';
import { type OutputParserConfig, outputParserConfig, parseOutput, parserInstruction } from './output-parser.ts';

const ports = {
  capture(pattern: string, text: string): Captured | null {
    const found = new RegExp(pattern).exec(text);
    return found && { match: found[0], groups: found.slice(1), named: { ...found.groups } };
  },
  schemaIssue: ({ type }: { readonly [key: string]: Json }, value: Json) =>
    type === typeof value ? null : `it must be ${type}`,
};
const parse = (config: OutputParserConfig, text: string, meter = new Meter(() => 0)) =>
  runThrough(parseOutput(config, text, { ...ports, meter }));
const unfit = { code: 'model_output', retryable: true };

describe('a json parser', () => {
  it.each<[string, string, Json]>([
    ['plain', ' {"a": 1} ', { a: 1 }],
    ['a scalar', '7', 7],
    ['in a fenced block', 'Here you are:\n```json\n{"a": [1]}\n```\nGood luck!', { a: [1] }],
    ['in a block without a name', '```\n[1, 2]\n```', [1, 2]],
    ['between text', 'The answer is {"a": {"b": 1}}, I think.', { a: { b: 1 } }],
    ['a list between text', 'Sure: ["a", "b"].', ['a', 'b']],
  ])('parses JSON that is %s', (_what, text, value) => {
    expect(parse({}, text)).toEqual(value);
    expect(parse({ parser: 'json' }, text)).toEqual(value);
  });

  it.each(['', 'no JSON here', '{"a": 1', '} {', '```json\n{]\n```', 'NaN'])('fails on %j', (text) => {
    expect(() => parse({}, text)).toThrow(expect.objectContaining(unfit));
  });

  it('validates the value against its schema', () => {
    expect(parse({ schema: { type: 'object' } }, '{}')).toEqual({});
    expect(() => parse({ schema: { type: 'object' } }, '7')).toThrow(
      "The model's answer cannot be parsed: it does not match the schema: it must be object.",
    );
  });

  it('rejects JSON that nests deeper than other JSON may', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parse({}, deep(64))).toBeDefined();
    expect(() => parse({}, deep(65))).toThrow(expect.objectContaining(unfit));
    expect(() => parse({}, deep(200_000))).toThrow(expect.objectContaining(unfit));
  });

  it('parses any written value, with text around it', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(value, (given) => {
        const text = JSON.stringify(given);
        const same = exactJson(text);
        expect(parse({}, `Here it is:\n\n${text}\n\nDone.`)).toEqual(same);
        expect(parse({}, `\`\`\`json\n${JSON.stringify(given, null, 2)}\n\`\`\``)).toEqual(same);
      }),
    );
  });

  it.each<[string, string, string]>([
    ['many values', '0,'.repeat(1_000_001), 'has more than 1000000 values'],
    ['many lists', '[],'.repeat(500_001), 'has more than 500000 lists and objects'],
  ])('rejects %s before it parses them', (_what, items, excess) => {
    const message = `The model's answer cannot be parsed: it ${excess}.`;
    for (const parser of ['json', 'list'] as const) {
      expect(() => parse({ parser }, `[${items}0]`)).toThrow(expect.objectContaining({ ...unfit, message }));
    }
  });

  it('finds JSON in text that has more brackets than JSON may have', () => {
    expect(parse({}, `${'['.repeat(100)} No. \n\`\`\`\n{"a": 1}\n\`\`\``)).toEqual({ a: 1 });
  });

  it('charges the meter for each text that it parses, in proportion to its length', () => {
    const spentOn = (length: number): number => {
      let spent = 0;
      const meter = new Meter(() => 0);
      meter.spend = (steps) => {
        spent += steps;
      };
      parse({}, JSON.stringify('x'.repeat(length)), meter);
      return spent;
    };
    expect(spentOn(100_000)).toBeGreaterThan(5_000);
    expect(spentOn(1_000_000) / spentOn(100_000)).toBeCloseTo(10, 1);
  });

  it('is fast on hostile text', () => {
    // A few milliseconds; a search in quadratic time takes hours.
    const took = cpuMs(() => {
      for (const text of [`\`\`\`${'\n'.repeat(1_000_000)}`, '```\n'.repeat(250_000), '{'.repeat(1_000_000)]) {
        expect(() => parse({}, text)).toThrow(StepError);
      }
    });
    expect(took).toBeLessThan(20_000);
  });
});

describe('a list parser', () => {
  it.each<[string, Json]>([
    ['["a", 1]', ['a', 1]],
    ['- a\n* b\n• c\n1. d\n12) e', ['a', 'b', 'c', 'd', 'e']],
    ['a\n\n  b  \r\nc', ['a', 'b', 'c']],
    ['a, b,, c', ['a', 'b', 'c']],
    ['only', ['only']],
    ['-5\n3.5', ['-5', '3.5']],
  ])('parses %j', (text, value) => {
    expect(parse({ parser: 'list' }, text)).toEqual(value);
  });

  it('pauses in a long list and charges for each item', () => {
    const [meter, poor] = [new Meter(() => 0), new Meter(() => 0, 100_000)];
    const text = 'a\n'.repeat(100_000);
    const pauses = (limit: Meter) => [...parseOutput({ parser: 'list' }, text, { ...ports, meter: limit })].length;
    expect(pauses(meter)).toBeGreaterThan(90);
    expect(() => pauses(poor)).toThrow(expect.objectContaining({ code: 'work_limit' }));
  });

  it.each(['', ' \n ', ',,'])('fails on %j', (text) => {
    expect(() => parse({ parser: 'list' }, text)).toThrow(expect.objectContaining(unfit));
  });
});

describe('a regex parser', () => {
  it.each<[string, Json]>([
    ['\\d+', '42'],
    ['is (\\d+)', '42'],
    ['(is) (\\d+)', ['is', '42']],
    ['(?<verb>is) (?<value>\\d+)', { verb: 'is', value: '42' }],
  ])('returns what %s matches', (pattern, value) => {
    expect(parse({ parser: 'regex', pattern }, 'The answer is 42.')).toEqual(value);
  });

  it('fails if nothing matches', () => {
    expect(() => parse({ parser: 'regex', pattern: 'x' }, 'y')).toThrow(expect.objectContaining(unfit));
  });
});

describe('the config of a parser', () => {
  it.each([
    [{}, true],
    [{ parser: 'json', schema: {} }, true],
    [{ schema: { type: 'object' } }, true],
    [{ parser: 'list' }, true],
    [{ parser: 'regex', pattern: 'a' }, true],
    [{ parser: 'regex' }, false],
    [{ parser: 'regex', pattern: '' }, false],
    [{ parser: 'regex', pattern: 'a', schema: {} }, false],
    [{ parser: 'list', schema: {} }, false],
    [{ pattern: 'a' }, false],
    [{ parser: 'xml' }, false],
  ])('%j is accepted: %s', (config, isGood) => {
    expect(outputParserConfig.safeParse(config).success).toBe(isGood);
  });
});

it('describes the format to the model, if it is known', () => {
  expect(parserInstruction({ schema: { type: 'object' } })).toContain('{"type":"object"}');
  expect(parserInstruction({})).toContain('JSON only');
  expect(parserInstruction({ parser: 'list' })).toContain('one item per line');
  expect(parserInstruction({ parser: 'regex', pattern: 'x' })).toBe('');
});
