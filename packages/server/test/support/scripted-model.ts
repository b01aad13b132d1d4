import type { ServerResponse } from 'node:http';
import type { Received, Reply } from './providers.ts';

/** A tool call of a scripted answer. Text is sent as the arguments as it is. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: object | string;
}

/** An answer of a scripted model, whatever the protocol. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly stop?: 'end' | 'length' | 'refusal';
  /** Signed reasoning, which must come back with the next request. */
  readonly thinking?: string;
  /** An error instead of an answer. */
  readonly status?: number;
  /** The stream ends in the middle. */
  readonly isCut?: true;
}

/** Answers the requests of one conversation in order. A request for which there is no answer is an error of the test. */
export function scripted(answers: readonly ScriptedAnswer[]): Reply {
  const left = [...answers];
  return (response, received) => {
    const next = left.shift();
    if (next === undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'the script of this test has no further answer' } }));
      return;
    }
    send(response, received, next);
  };
}

function send(response: ServerResponse, { path, body }: Received, answer: ScriptedAnswer): void {
  const { status = 200 } = answer;
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify({ error: { message: `status ${status}` } }));
    return;
  }
  const isAnthropic = path === '/v1/messages';
  if (body?.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAnthropic ? message(answer) : completion(answer)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = isAnthropic ? messageEvents(answer) : completionEvents(answer);
  for (const event of answer.isCut ? events.slice(0, 2) : events) response.write(event);
  response.end();
}

const usage = { prompt_tokens: 10, completion_tokens: 4 };

function textOf(args: object | string = {}): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function completion({
  text = null,
  calls = [],
  stop = 'end',
  thinking,
}: Omit<ScriptedAnswer, 'text'> & { text?: string | null }) {
  const tool_calls = calls.map(({ id = 'c1', name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: textOf(args) },
  }));
  const message = {
    role: 'assistant',
    content: text,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(thinking !== undefined && { reasoning_content: thinking }),
    ...(stop === 'refusal' && { refusal: 'No.' }),
  };
  const finish_reason = stop === 'length' ? 'length' : tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return { choices: [{ index: 0, message, finish_reason }], usage };
}

/** In pieces of a few characters, as providers stream. */
function pieces(text: string): string[] {
  return text.match(/.{1,5}/gs) ?? [];
}

function completionEvents(answer: ScriptedAnswer): string[] {
  const { choices } = completion(answer);
  const [choice] = choices;
  if (choice === undefined) return [];
  const {
    content,
    tool_calls = [],
    reasoning_content: thinking,
    refusal,
  } = choice.message as {
    content: string | null;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    reasoning_content?: string;
    refusal?: string;
  };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(thinking ?? '').map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(content ?? '').map((piece) => chunk({ content: piece })),
    ...(refusal === undefined ? [] : [chunk({ refusal })]),
    ...tool_calls.flatMap(({ id, function: { name, arguments: args } }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, choice.finish_reason),
    `data: ${JSON.stringify({ choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ];
}

function message({ text, calls = [], stop = 'end', thinking }: ScriptedAnswer) {
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'signed' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id = 'c1', name, args = {} }) => ({
      type: 'tool_use',
      id,
      name,
      input: typeof args === 'string' ? {} : args,
      // What the pieces of a stream add up to.
      sent: textOf(args),
    })),
  ];
  const reasons = { end: calls.length > 0 ? 'tool_use' : 'end_turn', length: 'max_tokens', refusal: 'refusal' };
  return { content, stop_reason: reasons[stop], usage: { input_tokens: 10, output_tokens: 4 } };
}

function messageEvents(answer: ScriptedAnswer): string[] {
  const { content, stop_reason } = message(answer);
  const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  return [
    event('message_start', {
      message: { role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    }),
    ...content.flatMap((block, index) => {
      const delta = (change: object) => event('content_block_delta', { index, delta: change });
      const stop = event('content_block_stop', { index });
      const start = (content_block: object) => event('content_block_start', { index, content_block });
      if ('text' in block)
        return [
          start({ type: 'text', text: '' }),
          ...pieces(block.text).map((text) => delta({ type: 'text_delta', text })),
          stop,
        ];
      if ('thinking' in block)
        return [
          start({ type: 'thinking', thinking: '', signature: '' }),
          ...pieces(block.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking })),
          delta({ type: 'signature_delta', signature: block.signature }),
          stop,
        ];
      const { sent, ...use } = block;
      return [
        start({ ...use, input: {} }),
        ...pieces(sent).map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    }),
    event('message_delta', { delta: { stop_reason }, usage: { output_tokens: 4 } }),
    event('message_stop', {}),
  ];
}
