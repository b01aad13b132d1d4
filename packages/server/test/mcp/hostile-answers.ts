import type { Remote } from '../support/remote.ts';

/** Bytes of an answer, which is as long as one may be. */
const bytes = 9.5 * 2 ** 20;

const many = (unit: string, size = bytes) => unit.repeat(size / unit.length);
const names = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
const tool = (name: string, schema = '') => `{"name":"${name}","inputSchema":{"type":"object"${schema}}}`;
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Results of `tools/list`, as JSON. */
export const hostileLists: Readonly<Record<string, () => string>> = {
  'numbers for tools': () => `{"tools":[${many('1,')}1]}`,
  'empty objects for tools': () => `{"tools":[${many('{},')}{}]}`,
  'a megabyte of empty objects': () => `{"tools":[${many('{},', 2 ** 20)}{}]}`,
  'as many wrong tools as are looked at': () => `{"tools":[${'{},'.repeat(19_900)}{}]}`,
  'lists in lists': () => `{"tools":[${nested(2_000_000, '[', ']')}]}`,
  'a schema of 500,000 levels': () => `{"tools":[${tool('t', `,"a":${nested(500_000, '{"a":', '}')}`)}]}`,
  '120,000 tools': () => `{"tools":[${Array.from({ length: 120_000 }, (_, index) => tool(`t${index}`)).join(',')}]}`,
  '400,000 names in a schema': () => `{"tools":[${tool('t', `,${names(400_000)}`)}]}`,
  'wrong icons': () => `{"tools":[{"name":"t","icons":[${many('{},')}{}],"inputSchema":{"type":"object"}}]}`,
  'wrong names of a schema': () => `{"tools":[${tool('t', `,"required":[${many('1,')}1]`)}]}`,
};

/** Results of `tools/call`, as JSON. */
export const hostileResults: Readonly<Record<string, () => string>> = {
  'numbers for blocks': () => `{"content":[${many('1,')}1]}`,
  'empty objects for blocks': () => `{"content":[${many('{},')}{}]}`,
  'as many wrong blocks as are looked at': () => `{"content":[${'{},'.repeat(1_900)}{}]}`,
  'blocks of text': () => `{"content":[${many('{"type":"text","text":"x"},')}{"type":"text","text":"x"}]}`,
  'a wrong audience': () => `{"content":[{"type":"text","text":"x","annotations":{"audience":[${many('1,')}1]}}]}`,
  'a deep value': () => `{"content":[],"structuredContent":{"a":${nested(100_000, '[', ']')}}}`,
  'a value of empty objects': () => `{"content":[],"structuredContent":{"a":[${many('{},')}{}]}}`,
  'a value of 400,000 names': () => `{"content":[],"structuredContent":{${names(400_000)}}}`,
  'what the protocol does not know': () => `{"content":[],"more":[${many('{},')}{}]}`,
};

/** Streams of events before an answer, which an honest server also sends. */
export const hostileStreams: Readonly<Record<string, () => string>> = {
  'requests of the server': () =>
    many('data: {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[]}}\n\n'),
  notifications: () => many('data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}\n\n'),
  'empty lines': () => many('\n'),
  comments: () => many(': hi\n\n'),
  'lines of one event': () => many('data: 1,\n'),
  'requests in one list': () => `data: [${many('{"jsonrpc":"2.0","id":1,"method":"ping"},')}1]\n\n`,
};

/** Answers each request by its method: with a result, or with a whole stream of events. */
export function answerWith(
  remote: Remote,
  answers: Readonly<Record<string, { readonly result: string } | { readonly stream: string }>>,
): void {
  const known: typeof answers = {
    initialize: {
      result: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
    },
    'tools/list': { result: `{"tools":[${tool('t')}]}` },
    ...answers,
  };
  remote.answer = (_request, response) => {
    const { id, method = '' } = JSON.parse(remote.received.at(-1)?.body.toString() || '{}');
    const answer = known[method];
    if (id === undefined) response.writeHead(202).end();
    else if (answer === undefined)
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }));
    else if ('result' in answer) response.end(`{"jsonrpc":"2.0","id":${id},"result":${answer.result}}`);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer.stream.replaceAll('ID', id));
  };
}
