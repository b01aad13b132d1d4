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
  schemaIssue: ({ type, required = [] }: { readonly [key: string]: Json }, value: Json) => {
    if (type !== undefined && type !== typeof value) return `it must be ${type}`;
    return [required].flat().every((name) => Object.hasOwn(Object(value), String(name)))
      ? null
      : `it needs ${required}`;
  },
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
    ['a list between lines', 'Sure:\n["a", "b"]\nAnything else?', ['a', 'b']],
    ['a list of several lines', 'Sure:\n[\n  {"a": 1},\n  {"a": 2}\n]\n', [{ a: 1 }, { a: 2 }]],
    // The reasoning before the answer.
    ['after reasoning', '<think>Perhaps {"a": 1}?</think>{"a": 2}', { a: 2 }],
    ['after reasoning with a block', '<think>\n```json\n{"a": 1}\n```\n</think>\nIt is {"a": 2}.', { a: 2 }],
    ['after nested reasoning', '<think>One <think>{"a": 1}</think> {"a": 2}</think>\n{"a": 3}', { a: 3 }],
    ['after reasoning that began in the prompt', 'Perhaps {"a": 1}?\n</think>\n{"a": 2}', { a: 2 }],
    ['after reasoning in a tag with an attribute', '<think id="1">{"a": 1}</think>{"a": 2} <think>', { a: 2 }],
    ['after reasoning in a tag with a prefix', '<seed:think>{"a": 1}</seed:think>{"a": 2}', { a: 2 }],
    ['before reasoning in other tags', '{"a": 1}<Thoughts>{"a": 2}</Thoughts>', { a: 1 }],
    ['before reasoning in special tokens', '{"a": 1}<|START_THINKING|>{"a": 2}<|END_THINKING|>', { a: 1 }],
    ['after reasoning in capitals', '<THINKING>{"a": 1}</THINKING>{"a": 2}', { a: 2 }],
    ['after reasoning in brackets', '[THINK]{"a": 1}[/THINK]{"a": 2}', { a: 2 }],
    ['before reasoning', '{"a": 1}\n<think>Is it {"a": 2}? No.</think>\nThat is all.', { a: 1 }],
    ['with tags in a string', 'It is {"a": "<think>b</think>"}.', { a: '<think>b</think>' }],
    // The last one counts.
    ['the last block', 'Such as:\n```json\n{"a": 1}\n```\nHere:\n```json\n{"a": 2}\n```', { a: 2 }],
    ['the last block, with an object after it', '```\n{"a": 1}\n```\nNot {"a": 2}.', { a: 1 }],
    ['the last block of JSON', '```json\n{"a": 1}\n```\n```sh\nls\n```', { a: 1 }],
    ['a block after one that is not closed', '```json\n{"a": \n```json\n{"a": 2}\n```', { a: 2 }],
    ['a block in one line', 'Here: ```json {"a": 1}```', { a: 1 }],
    ['a block of tildes', '~~~json\n[1]\n~~~', [1]],
    ['with a block in a string', '```json\n{"a": "```js {} ```"}\n```', { a: '```js {} ```' }],
    ['the last object', 'First {"a": 1}, then {"a": 2}.', { a: 2 }],
    ['an object with braces in a string', 'Here: {"a": "}{"} is it', { a: '}{' }],
    ['an object in braces', 'The answer is \\boxed{{"a": 1}}', { a: 1 }],
    ['an object after a brace', 'In { and 5" is {\n{"a": 1}', { a: 1 }],
    // Citations.
    ['before a citation', 'It is {"a": 1} [1].', { a: 1 }],
    ['after a citation', 'As [1] and [2, 3] say: {"a": 1}', { a: 1 }],
    ['before a list of sources', '{"a": 1}\n\n[1]\n[2]', { a: 1 }],
    ['a list before sources', '["a", "b"]\n\n[1]\n[2, 3]', ['a', 'b']],
    // Brackets and quotation marks of prose.
    ['after an interval', 'As x is in [0, 1) and y in [-1, 2): {"a": 1}', { a: 1 }],
    ['between intervals', 'In [0, 1[ it is {"a": 1}, not in (2, 3].', { a: 1 }],
    ['before a citation that is cut off', 'It is {"a": 1} [1', { a: 1 }],
    ['after reasoning with one quotation mark', 'A 5" disk: {"a": 1}? </think>{"a": 2}', { a: 2 }],
    ['after reasoning in an analysis', '<analysis>{"a": 1}</analysis>{"a": 2}', { a: 2 }],
    ['in a channel', '<|channel|>analysis<|message|>{"a": 1}<|channel|>final<|message|>{"a": 2}', { a: 2 }],
    [
      'in a channel with all its marks',
      '<|channel|>analysis<|message|>It\'s 5": {"a": 1}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{"a": 2}<|return|>',
      { a: 2 },
    ],
    ['with a channel in a string', '{"a": "<|channel|>final<|message|>"}', { a: '<|channel|>final<|message|>' }],
    ['in a block, with a comment', '```json\n{"a": 1} // first\n```', { a: 1 }],
    ['the last of a block', '```json\n{"a": 1}\n{"a": 2}\n```', { a: 2 }],
    [
      'in a block before a bracket in quotation marks',
      '```json\n{"a": 1}\n```\nThe "{" opens.\nThe \'["\' too.',
      { a: 1 },
    ],
    // Blocks without an end, and an answer after a block that is not JSON.
    ['in a block without an end', '```json\n{"a": 1}\n```\nBetter:\n```json\n{"a": 2}\n', { a: 2 }],
    ['in a block without an end, before text', '```json\n{"a": 1}\n\nThat is all.', { a: 1 }],
    ['after a block that is not JSON', '```json\n{"a": 1,}\n```\nCorrected: {"a": 2}', { a: 2 }],
    ['after JSON without an end in a block', '```json\n{"a": [\n```\nCorrected:\n```json\n{"a": 2}\n```', { a: 2 }],
    ['a list of numbers', 'These:\n[1, 2]\n', [1, 2]],
  ])('parses JSON that is %s', (_what, text, value) => {
    expect(parse({}, text)).toEqual(value);
    expect(parse({ parser: 'json' }, text)).toEqual(value);
  });
});

describe('a json parser, for an answer without one value,', () => {
  it.each([
    '',
    'no JSON here',
    '{"a": 1',
    '} {',
    '```json\n{]\n```',
    'NaN',
    '<think>{"a": 1}',
    '<think>{"a": 1}</think>',
    '<think>a<think>b</think>{"a": 1}',
    '{"a": 1}</think>',
    '<thoughts>{"a": 1}</thoughts>',
    '<seed:think>{"a": 1}',
    '◁think▷{"a": 1}◁/think▷',
    '<|START_THINKING|>{"a": 1}<|END_THINKING|>',
    '<|begin_of_thought|>{"a": 1}<|end_of_thought|>',
    'It is 42 [1].',
    'As [1], [2, 3] and [{"a": 1}] say.',
    'Sure: ["a", "b"].',
    // Answers that were cut off, or that contain an error: a part of them is not the answer.
    'Here: {"items": [{"a": 1}, {"a": 2}',
    'Here: {"items": [{"a": 1}, {"a": 2}}',
    'Here: [{"a": 1}, {"a": 2},]',
    "Here: {'a': 1}",
    // Drafts before an answer that was cut off, or that contains an error.
    '```json\n{"a": 1}\n```\nBetter:\n```json\n{"a": 2, "b": [',
    '```json\n{"a": 1}\n```\nBetter:\n```json\n',
    '```json\n{"a": 1}\n```\nBetter:\n```json',
    '```json\n{"a": 1}\n```\nBetter:\n```\n{"a": 2, "b": [{"a": 3}, ',
    '```json\n{"a": 1}\n```\nBetter:\n```json\n{"a": 2,}\n```',
    '```json\n{"a": 1}\n```\nBetter: {"a": 2, "b": ',
    'First {"a": 1}, then {"a": 2, "b": [',
    'First {"a": 1}, then [{"a": 2}, ',
    '<|channel|>analysis<|message|>{"a": 1}',
    '<|channel|>analysis<|message|>{"a": 1}<|end|><|start|>assistant<|channel|>commentary<|message|>{"a": 2}',
    '<analysis>{"a": 1}',
    'A 5" disk: {"a": 1}</think>',
  ])('fails on %j', (text) => {
    expect(() => parse({}, text)).toThrow(expect.objectContaining(unfit));
  });

  it.each<[string, string, Json]>([
    ['of two objects', '{"a": 1} {"b": 2}', { a: 1 }],
    ['of two objects that fit', '{"a": 1} {"a": 2} {"b": 3}', { a: 2 }],
    ['of two blocks', '```json\n{"a": 1}\n```\nFor example:\n```json\n{"b": 2}\n```', { a: 1 }],
    ['an object after a block', '```json\n{"b": 1}\n```\nThus: {"a": 2}', { a: 2 }],
    ['an object before a list', '{"a": 1}\n["b"]', { a: 1 }],
  ])('prefers the last candidate that satisfies the schema: %s', (_what, text, value) => {
    expect(parse({ schema: { required: ['a'] } }, text)).toEqual(value);
  });

  it('takes no part of JSON that does not satisfy the schema', () => {
    const schema = { required: ['a'] };
    for (const text of ['[{"a": 1}]', '{"b": {"a": 1}}', 'Here: {"b": {"a": 1}}', '```\n[{"a": 1}]\n```']) {
      expect(() => parse({ schema }, text)).toThrow('it does not match the schema');
    }
  });

  it('names reasoning without an answer', () => {
    expect(() => parse({}, '<think>7')).toThrow(
      "The model's answer cannot be parsed: it has no answer after its reasoning.",
    );
  });
});

describe('the limits of a json parser', () => {
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
    expect(spentOn(1_000_000) / spentOn(100_000)).toBeCloseTo(10, 0);
  });

  it('is fast on hostile text', () => {
    // A few milliseconds; a search in quadratic time takes hours.
    const hostile = [
      '<think>'.repeat(140_000),
      '<think></think>'.repeat(70_000),
      '<think '.repeat(140_000),
      `${'<'.repeat(500_000)}${'a:'.repeat(250_000)}`,
      'x"<think>'.repeat(120_000),
      `${'{"a":'.repeat(200_000)}${'}'.repeat(200_000)}`,
      `${'{a'.repeat(300_000)}${'}'.repeat(300_000)}`,
      `${'['.repeat(500_000)}${'}'.repeat(500_000)}`,
      `{${'"\n'.repeat(500_000)}`,
      `{"${'\\"'.repeat(400_000)}`,
      `{"a":"${'\\"%d '.repeat(200_000)}\n{"${'x\\" '.repeat(200_000)}`,
      `{${' '.repeat(1_000_000)}`,
      `x${' []'.repeat(300_000)}`,
    ];
    const took = cpuMs(() => {
      for (const text of [
        `\`\`\`${'\n'.repeat(1_000_000)}`,
        '```\n'.repeat(250_000),
        '{'.repeat(1_000_000),
        ...hostile,
      ]) {
        expect(() => parse({}, text), text.slice(0, 10)).toThrow(StepError);
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
    ['<think>- x\n</think>- a\n- b', ['a', 'b']],
    ['Here:\n```\n- a\n- b\n```\nGood luck!', ['a', 'b']],
    ['```json\n["x"]\n```\nNo:\n```json\n["a"]\n```', ['a']],
    ['Here are the items:\n- a\n- b', ['a', 'b']],
    ['Sure, here they are\n- a\n\n- b', ['a', 'b']],
    ['a\n- b', ['a', 'b']],
    ['Sure!\n\n1. a\n2. b\n\nGood luck!', ['a', 'b']],
    ['Here are the items:\na\nb', ['a', 'b']],
    ['Here are the items:\n["a", "b"]', ['a', 'b']],
    ['- a:\n- b', ['a:', 'b']],
    ['a\n- b\nc', ['a', 'b', 'c']],
    ['Here:\n```\n- a\n- b', ['a', 'b']],
    ['[a] b\n[c] d', ['[a] b', '[c] d']],
    // Commas inside an item.
    ['- Paris, France', ['Paris, France']],
    ['Here:\n1. Paris, France', ['Paris, France']],
    ['1,000 euros', ['1,000 euros']],
    ['1,000,000, 2,500 and 7', ['1,000,000', '2,500 and 7']],
    ['1,2,3', ['1', '2', '3']],
    ['2021,2022', ['2021', '2022']],
    // JSON with other text around it.
    ['Sure:\n["a","b"]\nDone', ['a', 'b']],
    ['Sure, here it is\n[\n  "a",\n  "b"\n]\n\nDone.', ['a', 'b']],
    ['["a","b"] as asked', ['a', 'b']],
    ['["a","b"]\n\n- That is all.', ['a', 'b']],
    ['Here you are: [{"a": 1}].', [{ a: 1 }]],
    ['Use ["a"] as the key\nSort', ['Use ["a"] as the key', 'Sort']],
    ['- ["a"]\n- b', ['["a"]', 'b']],
  ])('parses %j', (text, value) => {
    expect(parse({ parser: 'list' }, text)).toEqual(value);
  });

  it.each(['json', 'list'] as const)('pauses while it looks for fenced blocks: %s', (parser) => {
    const text = '```a\nb\n```\n'.repeat(20_000);
    const work = parseOutput({ parser }, text, { ...ports, meter: new Meter(() => 0) });
    let pauses = 0;
    // The blocks are found first; what follows looks at each of them.
    while (pauses < 15 && work.next().done !== true) pauses += 1;
    expect(pauses).toBe(15);
  });

  it('pauses in a long list and charges for each item', () => {
    const [meter, poor] = [new Meter(() => 0), new Meter(() => 0, 100_000)];
    const text = 'a\n'.repeat(100_000);
    const pauses = (limit: Meter) => [...parseOutput({ parser: 'list' }, text, { ...ports, meter: limit })].length;
    expect(pauses(meter)).toBeGreaterThan(90);
    expect(() => pauses(poor)).toThrow(expect.objectContaining({ code: 'work_limit' }));
  });

  it.each([
    '',
    ' \n ',
    ',,',
    '["a", "b"',
    'Here are the items:\n["a", ',
    '```\n- a\n```\nBetter:\n```\n- b\n',
  ])('fails on %j', (text) => {
    expect(() => parse({ parser: 'list' }, text)).toThrow(expect.objectContaining(unfit));
  });

  it.each([
    ['["a" "b"]', 'its list is not valid JSON'],
    ['Sure:\n["a", b]\nDone', 'its list is not valid JSON'],
    ['Here you are: ["a", b]', 'its list is not valid JSON'],
    ['["a"]\nBetter:\n["a", "b"', 'its JSON has no end'],
    ['["a"]\n["b"]', 'it contains several JSON lists'],
    ['["a"](x)\n["b"](y)', 'it contains several JSON lists'],
  ])('fails on %j, because %s', (text, reason) => {
    expect(() => parse({ parser: 'list' }, text)).toThrow(`The model's answer cannot be parsed: ${reason}.`);
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

  it('ignores reasoning', () => {
    expect(parse({ parser: 'regex', pattern: '\\d+' }, '<think>Perhaps 41?</think>42')).toBe('42');
  });

  it('searches the whole answer if its pattern has the tags of reasoning', () => {
    const pattern = '<analysis>(.*)</analysis>';
    expect(parse({ parser: 'regex', pattern }, '<analysis>It is 41.</analysis>42')).toBe('It is 41.');
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
