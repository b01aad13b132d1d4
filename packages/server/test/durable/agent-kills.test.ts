import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { executionDetail } from '@millrace/contract';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

/** Two here; `npm run test:agent-kills` makes a hundred. */
const kills = Number(process.env.AGENT_KILLS ?? 2);
const firstSeed = Number(process.env.AGENT_SEED ?? 1);

/** Orders that the agent places, one after the other: each is a call of the model, a calculation and a request. */
const orders = 5;

/** What happened at the servers outside, in order. */
interface Request {
  /** The place in the conversation: 0 for the first call of the model, 1 for the first order, and so on. */
  readonly place: number;
  readonly key: string;
  /** How often the service had been killed before. */
  readonly kills: number;
}

/** A model that places one order after the other, and a server that takes the orders. */
class Outside {
  readonly requests: Request[] = [];
  kills = 0;
  /** Called when a request arrives; the answer waits for it. */
  onRequest: () => Promise<void> = async () => undefined;
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<Outside> {
    const server = createServer((request, response) => void outside.#receive(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outside = new Outside(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
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
    const placed = (body.messages ?? []).filter(({ role }) => role === 'tool').length / 2;
    const place = isModel ? 2 * placed : 2 * Number(body.number) + 1;
    const key = isModel ? '' : String(request.headers['idempotency-key']);
    this.requests.push({ place, key, kills: this.kills });
    await this.onRequest();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isModel ? answerAfter(placed) : { ok: true }));
  }
}

function answerAfter(placed: number): object {
  const call = (id: string, name: string, args: object) => ({
    ...{ id, type: 'function' },
    function: { name, arguments: JSON.stringify(args) },
  });
  const calls = [call('sum', 'calc', { expression: `${placed} + 1` }), call('order', 'order', { number: placed })];
  const message = placed < orders ? { content: null, tool_calls: calls } : { content: 'All ordered.' };
  return {
    choices: [{ message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
}

const workflow = (url: string) => `name: Orders
slug: orders
nodes:
  - {id: start, type: trigger_manual}
  - {id: ai, type: agent, input: Place the orders.}
  - {id: small, type: ai_model, model_name: small, credential: Provider}
  - {id: calc, type: calculator}
  - id: order
    type: http_request
    method: POST
    url: ${url}/orders
    body: {number: "{{ args.number }}"}
    tool: {parameters: {type: object, properties: {number: {type: integer}}, required: [number]}}
edges: [start -> ai, small -llm-> ai, calc -tool-> ai, order -tool-> ai]
`;

async function prepared(dataDir: string, { url }: Outside): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir);
  const detail = { base_url: `${url}/v1`, api_key: 'sk-a-key-of-this-test-0123456789' };
  const credential = { name: 'Provider', credential_type: 'llm', detail };
  expect((await service.call('POST', '/api/v1/credentials/', credential)).status).toBe(201);
  const imported = await service.call('POST', '/api/v1/workflows/import/', { yaml_str: workflow(url) });
  expect(imported.status, JSON.stringify(imported.body)).toBe(201);
  return service;
}

/** A number below the limit, the same for the same seed. */
function draw(seed: number, limit: number): number {
  return Math.abs(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >> 8) % limit;
}

/** Kills the service at one request of a run, before or a little after its answer, and lets a new one finish the run. */
async function killedRun(seed: number): Promise<Outside> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-agent-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const outside = await Outside.start();
  let service = await prepared(dataDir, outside);
  const at = 1 + draw(seed, 2 * orders);
  // After the answer its end may be stored or not.
  const afterMs = draw(seed * 31, 2) === 0 ? null : draw(seed * 17, 8);
  const killed = new Promise<void>((resolve, reject) => {
    outside.onRequest = async () => {
      if (outside.requests.length !== at) return;
      const kill = () => service.kill().then(resolve, reject);
      if (afterMs === null) await kill();
      else setTimeout(kill, afterMs);
    };
  });
  const started = await service.call('POST', '/api/v1/workflows/orders/execute/', { payload: {} });
  const { execution_id: id } = started.body as { execution_id: string };
  await killed;
  outside.kills = 1;
  service = await ServiceProcess.start(dataDir);
  for (;;) {
    const { body } = await service.call('GET', `/api/v1/executions/${id}/`);
    const { status, final_output, error_message } = executionDetail.parse(body);
    if (status !== 'pending' && status !== 'running') {
      expect({ status, final_output, error_message }).toMatchObject({
        status: 'completed',
        final_output: 'All ordered.',
      });
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await service.stop();
  return outside;
}

test(
  'an agent that is killed repeats at most the call that it was waiting for, and each order has one Idempotency-Key',
  async () => {
    for (let seed = firstSeed; seed < firstSeed + kills; seed += 1) {
      const { requests } = await killedRun(seed);
      const before = requests.filter((request) => request.kills === 0);
      const after = requests.filter((request) => request.kills === 1);
      const lastPlace = before.at(-1)?.place ?? 0;
      // The calls follow one another, so what came before the last one had ended.
      expect(
        after.every(({ place }) => place >= lastPlace),
        `AGENT_SEED=${seed}`,
      ).toBe(true);
      expect(new Set(requests.map(({ place }) => place)).size, `AGENT_SEED=${seed}`).toBe(2 * orders + 1);
      expect(requests.length, `AGENT_SEED=${seed}`).toBeLessThanOrEqual(2 * orders + 2);
      const keys = new Set(requests.filter(({ key }) => key !== '').map(({ place, key }) => `${place} ${key}`));
      expect(keys.size, `AGENT_SEED=${seed}`).toBe(orders);
    }
  },
  60_000 * kills,
);
