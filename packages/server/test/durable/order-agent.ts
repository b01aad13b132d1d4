import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import type { ServiceProcess } from './service-process.ts';

/** Orders that the agent places, one after the other: each is a call of the model, a calculation and a request. */
export const orders = 5;

/** What happened at the servers outside, in order. */
interface Request {
  /** The place in the conversation: 0 for the first call of the model, 1 for the first order, and so on. */
  readonly place: number;
  readonly key: string;
  /** How often the service had been killed before. */
  readonly kills: number;
}

/** A model that places one order after the other, and a server that takes the orders. Each may be noted by a command. */
export class Outside {
  readonly requests: Request[] = [];
  kills = 0;
  /** Called when a request arrives; the answer waits for it. */
  onRequest: () => Promise<void> = async () => undefined;
  readonly url: string;
  /** Whether the agent also runs the command `note` for each order. */
  readonly takesNotes: boolean;

  private constructor(url: string, takesNotes: boolean) {
    this.url = url;
    this.takesNotes = takesNotes;
  }

  static async start({ takesNotes = false } = {}): Promise<Outside> {
    const server = createServer((request, response) => void outside.#receive(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outside = new Outside(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, takesNotes);
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return outside;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await buffer(request)).toString()) as {
      messages?: { role: string }[];
      number?: number;
    };
    const isModel = request.url === '/v1/chat/completions';
    const results = (body.messages ?? []).filter(({ role }) => role === 'tool').length;
    const placed = results / (this.takesNotes ? 3 : 2);
    const place = isModel ? 2 * placed : 2 * Number(body.number) + 1;
    const key = isModel ? '' : String(request.headers['idempotency-key']);
    this.requests.push({ place, key, kills: this.kills });
    await this.onRequest();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isModel ? answerAfter(placed, this.takesNotes) : { ok: true }));
  }
}

function answerAfter(placed: number, takesNotes: boolean): object {
  const call = (id: string, name: string, args: object) => ({
    ...{ id, type: 'function' },
    function: { name, arguments: JSON.stringify(args) },
  });
  const calls = [
    call('sum', 'calc', { expression: `${placed} + 1` }),
    call('order', 'order', { number: placed }),
    ...(takesNotes ? [call('note', 'note', { args: [String(placed)] })] : []),
  ];
  const message = placed < orders ? { content: null, tool_calls: calls } : { content: 'All ordered.' };
  return {
    choices: [{ message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
}

const noteNode = '  - {id: note, type: run_command, command: note}\n';

/** An agent that places the orders, and a command after it if `end` adds one. */
const workflow = ({ url, takesNotes }: Pick<Outside, 'url' | 'takesNotes'>, end: string) => `name: Orders
slug: orders
nodes:
  - {id: start, type: trigger_manual}
  - {id: ai, type: agent, input: Place the orders.}
  - {id: small, type: ai_model, model_name: small, credential: Provider}
  - {id: calc, type: calculator}
${takesNotes ? noteNode : ''}${end === '' ? '' : `  - ${end}\n`}  - id: order
    type: http_request
    method: POST
    url: ${url}/orders
    body: {number: "{{ args.number }}"}
    tool: {parameters: {type: object, properties: {number: {type: integer}}, required: [number]}}
edges: [start -> ai, ${end === '' ? '' : 'ai -> end, '}small -llm-> ai, calc -tool-> ai, order -tool-> ai${takesNotes ? ', note -tool-> ai' : ''}]
`;

/**
 * A service with the workflow `orders`.
 * @param end the node `end` after the agent, as YAML; empty for none
 */
export async function prepared(
  outside: Outside,
  start: () => Promise<ServiceProcess>,
  end = '',
): Promise<ServiceProcess> {
  const service = await start();
  const detail = { base_url: `${outside.url}/v1`, api_key: 'sk-a-key-of-this-test-0123456789' };
  const credential = { name: 'Provider', credential_type: 'llm', detail };
  expect((await service.call('POST', '/api/v1/credentials/', credential)).status).toBe(201);
  const imported = await service.call('POST', '/api/v1/workflows/import/', { yaml_str: workflow(outside, end) });
  expect(imported.status, JSON.stringify(imported.body)).toBe(201);
  return service;
}

/** A number below the limit, the same for the same seed. */
export function draw(seed: number, limit: number): number {
  return Math.abs(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >> 8) % limit;
}
