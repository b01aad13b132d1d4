import { bytesOf, type Oddity, read } from './oddity.ts';

const usage = { input_tokens: 12, output_tokens: 5 };

function whole(content: readonly object[], stop_reason: string | null = 'end_turn', rest: object = {}): object {
  return { type: 'message', id: 'm', role: 'assistant', model: 'small', content, stop_reason, usage, ...rest };
}

/** The events of a message with these blocks, each with the pieces that follow its beginning. */
function stream(
  blocks: readonly (readonly [begun: object, ...deltas: object[]])[],
  stop_reason: string | null = 'end_turn',
  counted: object = { input_tokens: 12, output_tokens: 1 },
): readonly object[] {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'small', content: [], usage: counted };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null } },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

const text = (value: string) => ({ type: 'text', text: value });
const begunText = text('');
const added = (value: string) => ({ type: 'text_delta', text: value });
const use = (id: string, name: string, input: unknown = {}) => ({ type: 'tool_use', id, name, input });
const argument = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

const greeting = stream([[begunText, added('Grü'), added('ße 🌍')]]);
const greeted = read({ text: 'Grüße 🌍' });
const thinking = { type: 'thinking', thinking: '', signature: '' };

const texts: readonly Oddity[] = [
  { about: 'a text', whole: whole([text('Grüße 🌍')]), events: greeting, reads: greeted },
  { about: 'events that end with CR and LF', events: bytesOf(greeting).replaceAll('\n', '\r\n'), reads: greeted },
  { about: 'events without names', events: bytesOf(greeting).replaceAll(/^event: .*\n/gm, ''), reads: greeted },
  { about: 'pings', events: greeting.flatMap((event) => [event, { type: 'ping' }]), reads: greeted },
  {
    about: 'no blank line at the end',
    events: bytesOf(greeting).trimEnd(),
    reads: greeted,
    sdk: {
      reads: { stop: 'interrupted', tokens: [0, 0, 0] },
      reason: 'Some servers end the response instead; the last event still counts.',
    },
  },
  {
    about: 'a text that begins with its block',
    events: stream([[text('Grü'), added('ße 🌍')]]),
    reads: greeted,
    sdk: { reads: { text: 'ße 🌍' }, reason: 'The protocol allows it, and gateways send whole blocks.' },
  },
  {
    about: 'two texts',
    whole: whole([text('a'), text('b')]),
    events: stream([
      [begunText, added('a')],
      [begunText, added('b')],
    ]),
    reads: read({ text: 'ab' }),
  },
  { about: 'no block', whole: whole([]), events: stream([]), reads: read({}) },
  {
    about: 'signed thinking',
    whole: whole([{ type: 'thinking', thinking: 'Hm.', signature: 's' }, text('a')]),
    events: stream([
      [thinking, { type: 'thinking_delta', thinking: 'Hm.' }, { type: 'signature_delta', signature: 's' }],
      [begunText, added('a')],
    ]),
    reads: read({ text: 'a' }),
  },
  {
    about: 'hidden thinking',
    whole: whole([{ type: 'redacted_thinking', data: 'x' }, text('a')]),
    events: stream([[{ type: 'redacted_thinking', data: 'x' }], [begunText, added('a')]]),
    reads: read({ text: 'a' }),
  },
  {
    about: 'a block of an unknown type',
    whole: whole([{ type: 'hologram', data: 'x' }, text('a')]),
    events: stream([[{ type: 'hologram', data: 'x' }], [begunText, added('a')]]),
    reads: read({ text: 'a' }),
    sdk: { reads: null, reason: 'The protocol says that new types must be ignored.' },
  },
  {
    about: 'an event of an unknown type',
    events: greeting.flatMap((event) => [event, { type: 'progress', done: 1 }]),
    reads: greeted,
    sdk: { reads: null, reason: 'The protocol says that new types must be ignored.' },
  },
];

const ends: readonly Oddity[] = [
  ...[
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['compaction', 'other'],
  ].map(([reason = null, stop = '']) => ({
    about: `an end by ${reason}`,
    whole: whole([text('a')], reason),
    events: stream([[begunText, added('a')]], reason),
    reads: read({ text: 'a', stop }),
  })),
  {
    about: 'an end by pause_turn',
    whole: whole([text('a')], 'pause_turn'),
    events: stream([[begunText, added('a')]], 'pause_turn'),
    reads: read({ text: 'a', stop: 'other' }),
    sdk: { reads: { stop: 'end' }, reason: 'The answer is not complete: the provider has paused a tool of its own.' },
  },
  {
    about: 'an end without a reason',
    whole: whole([text('a')], null),
    events: stream([[begunText, added('a')]], null),
    reads: read({ text: 'a' }),
    sdk: { reads: { stop: 'other' }, reason: 'Some gateways send no reason: the answer is complete.' },
  },
  {
    about: 'an end by tool_use without a call',
    whole: whole([text('a')], 'tool_use'),
    events: stream([[begunText, added('a')]], 'tool_use'),
    reads: read({ text: 'a', stop: 'other' }),
    sdk: { reads: { stop: 'calls' }, reason: 'An agent would wait for results of no call.' },
  },
];

const calling: readonly Oddity[] = [
  {
    about: 'a call after a text',
    whole: whole([text('a'), use('x', 'sum', { a: 1 })], 'tool_use'),
    events: stream(
      [
        [begunText, added('a')],
        [use('x', 'sum'), argument(''), argument('{"a"'), argument(':1}')],
      ],
      'tool_use',
    ),
    reads: read({ text: 'a', calls: [['x', 'sum', { a: 1 }]], stop: 'calls' }),
  },
  {
    about: 'two calls at once',
    whole: whole([use('x', 'sum', { a: 1 }), use('y', 'sum', { a: 2 })], 'tool_use'),
    events: stream(
      [
        [use('x', 'sum'), argument('{"a":1}')],
        [use('y', 'sum'), argument('{"a":2}')],
      ],
      'tool_use',
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
    about: 'a call without arguments',
    whole: whole([use('x', 'now')], 'tool_use'),
    events: stream([[use('x', 'now'), argument('')]], 'tool_use'),
    reads: read({ calls: [['x', 'now', {}]], stop: 'calls' }),
  },
  {
    about: 'a call without any piece of arguments',
    events: stream([[use('x', 'now')]], 'tool_use'),
    reads: read({ calls: [['x', 'now', {}]], stop: 'calls' }),
  },
  {
    about: 'arguments at the beginning of a call',
    events: stream([[use('x', 'sum', { a: 1 })]], 'tool_use'),
    reads: read({ calls: [['x', 'sum', { a: 1 }]], stop: 'calls' }),
  },
  {
    about: 'arguments that are no JSON',
    events: stream([[use('x', 'sum'), argument('{"a"')]], 'tool_use'),
    reads: read({ calls: [['x', 'sum', 'invalid']], stop: 'calls' }),
  },
  {
    about: 'arguments that are no object',
    whole: whole([use('x', 'sum', [1])], 'tool_use'),
    events: stream([[use('x', 'sum'), argument('[1]')]], 'tool_use'),
    reads: read({ calls: [['x', 'sum', 'invalid']], stop: 'calls' }),
  },
  {
    about: 'calls of one id',
    whole: whole([use('x', 'sum', { a: 1 }), use('x', 'sum', { a: 2 })], 'tool_use'),
    events: stream(
      [
        [use('x', 'sum'), argument('{"a":1}')],
        [use('x', 'sum'), argument('{"a":2}')],
      ],
      'tool_use',
    ),
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
          ['x', 'sum', { a: 2 }],
        ],
      },
      reason: 'Results are assigned by id.',
    },
  },
  {
    about: 'a call without an id',
    whole: whole([{ type: 'tool_use', name: 'sum', input: { a: 1 } }], 'tool_use'),
    events: stream([[{ type: 'tool_use', name: 'sum', input: {} }, argument('{"a":1}')]], 'tool_use'),
    reads: read({ calls: [['call_1', 'sum', { a: 1 }]], stop: 'calls' }),
    sdk: { reads: null, reason: 'Gateways to other models send such calls.' },
  },
  {
    about: 'an end by max_tokens in arguments',
    whole: whole([use('x', 'sum', { a: 1 })], 'max_tokens'),
    events: stream([[use('x', 'sum'), argument('{"a":1}')]], 'max_tokens'),
    reads: read({ stop: 'length' }),
    sdk: {
      reads: { calls: [['x', 'sum', { a: 1 }]] },
      reason: 'Arguments may be cut, also where they are still JSON, so no call is made.',
    },
  },
];

const cached = { input_tokens: 3, cache_read_input_tokens: 8, cache_creation_input_tokens: 1, output_tokens: 5 };

const counts: readonly Oddity[] = [
  {
    about: 'cached tokens',
    whole: whole([text('a')], 'end_turn', { usage: cached }),
    events: stream([[begunText, added('a')]], 'end_turn', cached),
    reads: read({ text: 'a', tokens: [12, 5, 8] }),
  },
  {
    about: 'no usage',
    whole: whole([text('a')], 'end_turn', { usage: undefined }),
    reads: read({ text: 'a', tokens: [0, 0, 0] }),
    sdk: { reads: null, reason: 'A wrong count is better than a lost answer.' },
  },
  {
    about: 'input tokens at the end',
    events: stream([[begunText, added('a')]], 'end_turn', { input_tokens: 0, output_tokens: 0 }).map((event) =>
      'usage' in event ? { ...event, usage } : event,
    ),
    reads: read({ text: 'a' }),
  },
];

const broken: readonly Oddity[] = [
  {
    about: 'an error with status 200',
    whole: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    reads: null,
  },
  {
    about: 'an error in the middle',
    events: [...greeting.slice(0, 3), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    reads: null,
  },
  {
    about: 'an error at the beginning',
    events: [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    reads: null,
  },
  {
    about: 'an event that is not JSON',
    events: [...greeting.slice(0, 3), '{"type":"content_block_de', ...greeting.slice(3)],
    reads: null,
  },
  {
    about: 'a stream that breaks off',
    events: greeting.slice(0, 3),
    reads: null,
    sdk: {
      reads: read({ text: 'Grü', stop: 'interrupted', tokens: [0, 0, 0] }),
      reason: 'A part of an answer is not an answer: it is requested again.',
    },
  },
];

export const anthropicOddities: readonly Oddity[] = [...texts, ...ends, ...calling, ...counts, ...broken];
