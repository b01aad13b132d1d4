import { anyId, bytesOf, type Oddity, read } from './oddity.ts';

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

function whole(message: object, finish_reason: string | null = 'stop', rest: object = {}): object {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'small', choices, usage, ...rest };
}

function chunk(choices: readonly object[], rest: object = {}): object {
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'small', choices, ...rest };
}

function piece(delta: object, finish_reason: string | null = null): object {
  return chunk([{ index: 0, delta, finish_reason }]);
}

/** A stream with these pieces of a message. */
function stream(deltas: readonly object[], finish: string | null = 'stop'): readonly (object | string)[] {
  const pieces = deltas.map((delta) => piece(delta));
  return [piece({ role: 'assistant', content: '' }), ...pieces, piece({}, finish), chunk([], { usage }), '[DONE]'];
}

const called = (id: string | undefined, name: string | undefined, args: unknown, rest: object = {}) => ({
  ...rest,
  ...(id !== undefined && { id, type: 'function' }),
  function: { ...(name !== undefined && { name }), arguments: args },
});

const begun = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown = '') =>
  called(id, name, args, index === undefined ? {} : { index });

const calls = (...tool_calls: readonly object[]) => ({ tool_calls });

const greeting = stream([{ content: 'Grü' }, { content: 'ße 🌍' }]);
const greeted = read({ text: 'Grüße 🌍' });
const sum = { a: 1, b: [2] };
const inPieces = [
  calls(begun(0, 'x', 'sum')),
  calls(begun(0, undefined, undefined, '{"a":1,')),
  calls(begun(0, undefined, undefined, '"b":[2]}')),
];

const texts: readonly Oddity[] = [
  { about: 'a text', whole: whole({ content: 'Grüße 🌍' }), events: greeting, reads: greeted },
  { about: 'events that end with CR and LF', events: bytesOf(greeting).replaceAll('\n', '\r\n'), reads: greeted },
  { about: 'comments between events', events: bytesOf(greeting).replaceAll('data', ': busy\n\ndata'), reads: greeted },
  { about: 'no space after the colon', events: bytesOf(greeting).replaceAll('data: ', 'data:'), reads: greeted },
  { about: 'no end marker', events: greeting.slice(0, -1), reads: greeted },
  {
    about: 'no blank line at the end',
    events: bytesOf(greeting.slice(0, -1)).trimEnd(),
    reads: greeted,
    sdk: {
      reads: { tokens: [0, 0, 0] },
      reason: 'Some servers end the response instead; the last event still counts.',
    },
  },
  {
    about: 'a content of null and of an empty text',
    whole: whole({ content: null }),
    events: stream([{ content: null }, { content: '' }]),
    reads: read({}),
  },
  {
    about: 'a content in parts',
    whole: whole({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    events: stream([{ content: [{ type: 'text', text: 'a' }] }, { content: [{ type: 'text', text: 'b' }] }]),
    reads: read({ text: 'ab' }),
  },
  {
    about: 'a second choice, which is ignored',
    events: [
      piece({ content: 'a' }),
      chunk([
        { index: 0, delta: {}, finish_reason: 'stop' },
        { index: 1, delta: { content: 'z' } },
      ]),
      chunk([], { usage }),
    ],
    reads: read({ text: 'a' }),
  },
  ...['reasoning_content', 'reasoning'].map((key) => ({
    about: `reasoning in ${key}`,
    whole: whole({ content: 'a', [key]: 'Hm.' }),
    events: stream([{ [key]: 'Hm.' }, { content: 'a' }]),
    reads: read({ text: 'a' }),
  })),
];

const ends: readonly Oddity[] = [
  ...[
    ['stop', 'end'],
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['eos', 'other'],
  ].map(([reason = null, stop = '']) => ({
    about: `an end by ${reason}`,
    whole: whole({ content: 'a' }, reason),
    events: stream([{ content: 'a' }], reason),
    reads: read({ text: 'a', stop }),
  })),
  {
    about: 'an end without a reason',
    whole: whole({ content: 'a' }, null),
    reads: read({ text: 'a' }),
    sdk: { reads: { stop: 'other' }, reason: 'Some servers send no reason: the answer is complete.' },
  },
  {
    about: 'an end without a reason, with the end marker',
    events: stream([{ content: 'a' }], null),
    reads: read({ text: 'a' }),
    sdk: { reads: null, reason: 'Some servers send no reason: the end marker shows that the answer is complete.' },
  },
  {
    about: 'an end by tool_calls without a call',
    whole: whole({ content: 'a' }, 'tool_calls'),
    events: stream([{ content: 'a' }], 'tool_calls'),
    reads: read({ text: 'a', stop: 'other' }),
    sdk: { reads: { stop: 'calls' }, reason: 'An agent would wait for results of no call.' },
  },
  {
    about: 'a refusal beside the text',
    whole: whole({ content: null, refusal: 'No.' }),
    events: stream([{ refusal: 'No.' }]),
    reads: read({ stop: 'refusal' }),
    sdk: { reads: { text: 'No.' }, reason: 'The words of a refusal are not an answer, and the step fails.' },
  },
  {
    about: 'a refusal of false',
    whole: whole({ content: 'a', refusal: false }),
    events: stream([{ content: 'a', refusal: false }]),
    reads: read({ text: 'a' }),
  },
];

const calling: readonly Oddity[] = [
  {
    about: 'a call',
    whole: whole({ content: null, ...calls(called('x', 'sum', '{"a":1,"b":[2]}')) }, 'tool_calls'),
    events: stream(inPieces, 'tool_calls'),
    reads: read({ calls: [['x', 'sum', sum]], stop: 'calls' }),
  },
  {
    about: 'a call after a text',
    whole: whole({ content: 'a', ...calls(called('x', 'sum', '{}')) }, 'tool_calls'),
    events: stream([{ content: 'a' }, calls(begun(0, 'x', 'sum', '{}'))], 'tool_calls'),
    reads: read({ text: 'a', calls: [['x', 'sum', {}]], stop: 'calls' }),
  },
  {
    about: 'two calls at once',
    whole: whole(calls(called('x', 'sum', '{"a":1}'), called('y', 'sum', '{"a":2}')), 'tool_calls'),
    events: stream(
      [
        calls(begun(0, 'x', 'sum'), begun(1, 'y', 'sum')),
        calls(begun(1, undefined, undefined, '{"a":2}')),
        calls(begun(0, undefined, undefined, '{"a":1}')),
      ],
      'tool_calls',
    ),
    reads: read({
      calls: [
        ['x', 'sum', { a: 1 }],
        ['y', 'sum', { a: 2 }],
      ],
      stop: 'calls',
    }),
  },
  {
    about: 'a name in a later event',
    events: stream([calls(begun(0, 'x', undefined, '{"a"')), calls(begun(0, undefined, 'sum', ':1}'))], 'tool_calls'),
    reads: read({ calls: [['x', 'sum', { a: 1 }]], stop: 'calls' }),
  },
  {
    about: 'an id that every piece repeats',
    events: stream([calls(begun(0, 'x', 'sum', '{"a"')), calls(begun(0, 'x', undefined, ':1}'))], 'tool_calls'),
    reads: read({ calls: [['x', 'sum', { a: 1 }]], stop: 'calls' }),
  },
  {
    about: 'arguments without text',
    whole: whole(calls(called('x', 'now', '')), 'tool_calls'),
    events: stream([calls(begun(0, 'x', 'now', ''))], 'tool_calls'),
    reads: read({ calls: [['x', 'now', {}]], stop: 'calls' }),
  },
  ...['{"a":', 'a = 1', '[1]', '"a"'].map((text) => ({
    about: `arguments that are no object: ${text}`,
    whole: whole(calls(called('x', 'sum', text)), 'tool_calls'),
    events: stream([calls(begun(0, 'x', 'sum', text))], 'tool_calls'),
    reads: read({ calls: [['x', 'sum', 'invalid'] as const], stop: 'calls' }),
  })),
  {
    about: 'arguments as an object',
    whole: whole(calls(called('x', 'sum', sum)), 'tool_calls'),
    events: stream([calls(begun(0, 'x', 'sum', sum))], 'tool_calls'),
    reads: read({ calls: [['x', 'sum', sum]], stop: 'calls' }),
    sdk: { reads: null, reason: 'Some local servers send them so.' },
  },
  {
    about: 'calls without an id',
    whole: whole(calls(called(undefined, 'sum', '{"a":1}'), called(undefined, 'sum', '{"a":2}')), 'tool_calls'),
    events: stream(
      [calls(begun(0, undefined, 'sum', '{"a":1}')), calls(begun(1, undefined, 'sum', '{"a":2}'))],
      'tool_calls',
    ),
    reads: read({
      calls: [
        ['call_1', 'sum', { a: 1 }],
        ['call_2', 'sum', { a: 2 }],
      ],
      stop: 'calls',
    }),
    sdk: {
      reads: {
        calls: [
          [anyId, 'sum', { a: 1 }],
          [anyId, 'sum', { a: 2 }],
        ],
      },
      reason: 'Its own ids are random; ours are the same each time an answer is read.',
    },
  },
  {
    about: 'calls without an index',
    events: stream(
      [calls(begun(undefined, 'x', 'sum', '{"a":1}')), calls(begun(undefined, 'y', 'sum', '{"a":2}'))],
      'tool_calls',
    ),
    reads: read({
      calls: [
        ['x', 'sum', { a: 1 }],
        ['y', 'sum', { a: 2 }],
      ],
      stop: 'calls',
    }),
  },
  {
    about: 'calls of one index',
    events: stream([calls(begun(0, 'x', 'sum', '{"a":1}')), calls(begun(0, 'y', 'sum', '{"a":2}'))], 'tool_calls'),
    reads: read({
      calls: [
        ['x', 'sum', { a: 1 }],
        ['y', 'sum', { a: 2 }],
      ],
      stop: 'calls',
    }),
    sdk: { reads: {}, reason: '?' },
  },
  {
    about: 'calls of one id',
    whole: whole(calls(called('x', 'sum', '{"a":1}'), called('x', 'sum', '{"a":2}')), 'tool_calls'),
    events: stream([calls(begun(0, 'x', 'sum', '{"a":1}')), calls(begun(1, 'x', 'sum', '{"a":2}'))], 'tool_calls'),
    reads: read({
      calls: [
        ['x', 'sum', { a: 1 }],
        ['call_2', 'sum', { a: 2 }],
      ],
      stop: 'calls',
    }),
    sdk: {
      reads: {
        calls: [
          ['x', 'sum', { a: 1 }],
          [anyId, 'sum', { a: 2 }],
        ],
      },
      reason: 'Results are assigned by id. It makes another id only in a stream, at random.',
    },
  },
  {
    about: 'an end by stop after a call',
    whole: whole(calls(called('x', 'sum', '{"a":1}')), 'stop'),
    events: stream([calls(begun(0, 'x', 'sum', '{"a":1}'))], 'stop'),
    reads: read({ calls: [['x', 'sum', { a: 1 }]], stop: 'calls' }),
    sdk: { reads: { stop: 'end' }, reason: 'Some servers end every answer so; the call is made nevertheless.' },
  },
  {
    about: 'an end by length in arguments',
    whole: whole(calls(called('x', 'sum', '{"a":1}'), called('y', 'sum', '{"a"')), 'length'),
    events: stream([calls(begun(0, 'x', 'sum', '{"a":1}')), calls(begun(1, 'y', 'sum', '{"a"'))], 'length'),
    reads: read({ stop: 'length' }),
    sdk: {
      reads: {
        calls: [
          ['x', 'sum', { a: 1 }],
          ['y', 'sum', 'invalid'],
        ],
      },
      reason: 'Arguments may be cut, also where they are still JSON, so no call is made.',
    },
  },
];

const counts: readonly Oddity[] = [
  {
    about: 'no usage',
    whole: whole({ content: 'a' }, 'stop', { usage: undefined }),
    events: [piece({ content: 'a' }), piece({}, 'stop'), '[DONE]'],
    reads: read({ text: 'a', tokens: [0, 0, 0] }),
  },
  {
    about: 'a usage of null in every event, and at the end',
    events: [
      chunk([{ index: 0, delta: { content: 'a' } }], { usage: null }),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage }),
    ],
    reads: read({ text: 'a' }),
  },
  {
    about: 'a usage that grows',
    events: [
      chunk([{ index: 0, delta: { content: 'a' } }], { usage: { ...usage, completion_tokens: 1 } }),
      ...stream([]),
    ],
    reads: read({ text: 'a' }),
  },
  {
    about: 'cached tokens',
    whole: whole({ content: 'a' }, 'stop', { usage: { ...usage, prompt_tokens_details: { cached_tokens: 8 } } }),
    events: [
      piece({ content: 'a' }, 'stop'),
      chunk([], { usage: { ...usage, prompt_tokens_details: { cached_tokens: 8 } } }),
    ],
    reads: read({ text: 'a', tokens: [12, 5, 8] }),
  },
  {
    about: 'a usage of another type',
    whole: whole({ content: 'a' }, 'stop', { usage: { prompt_tokens: 'many', completion_tokens: 5 } }),
    events: [piece({ content: 'a' }, 'stop'), chunk([], { usage: { prompt_tokens: 'many', completion_tokens: 5 } })],
    reads: read({ text: 'a', tokens: [0, 5, 0] }),
    sdk: { reads: null, reason: 'A wrong count is better than a lost answer.' },
  },
];

const broken: readonly Oddity[] = [
  { about: 'an error with status 200', whole: { error: { message: 'Overloaded' } }, reads: null },
  { about: 'no choice', whole: whole({}, 'stop', { choices: [] }), reads: null },
  {
    about: 'an error in the middle',
    events: [...greeting.slice(0, 2), { error: { message: 'Overloaded' } }],
    reads: null,
  },
  {
    about: 'an event that is not JSON',
    events: [...greeting.slice(0, 2), '{"choices":[{"de', ...greeting.slice(2)],
    reads: null,
  },
  {
    about: 'a stream that breaks off',
    events: greeting.slice(0, 2),
    reads: null,
  },
  {
    about: 'an end by error',
    whole: whole({ content: 'a' }, 'error'),
    events: [piece({ content: 'a' }), piece({}, 'error'), chunk([], { usage })],
    reads: null,
    sdk: {
      reads: read({ text: 'a', stop: 'other' }),
      reason: 'Gateways end an answer so when the provider behind them failed.',
    },
  },
  {
    about: 'an error beside the choice',
    events: [
      piece({ content: 'a' }),
      chunk([{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'Overloaded' } }]),
    ],
    reads: null,
    sdk: {
      reads: read({ text: 'a', stop: 'other', tokens: [0, 0, 0] }),
      reason: 'The answer is not complete, and the error says why.',
    },
  },
  {
    about: 'events without data',
    events: [...greeting.slice(0, 2), '', ...greeting.slice(2)],
    reads: greeted,
    sdk: { reads: null, reason: 'Some servers send them to keep the connection open.' },
  },
];

export const openaiOddities: readonly Oddity[] = [...texts, ...ends, ...calling, ...counts, ...broken];
