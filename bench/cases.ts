import type autocannon from 'autocannon';
import { benchKey, type Running } from './servers.ts';

/** One kind of work, for Millrace and for the bare server. */
export interface Case {
  readonly name: string;
  readonly connections: number;
  readonly millrace: () => autocannon.Request[];
  readonly bare: () => autocannon.Request[];
}

const headers = { 'content-type': 'application/json', authorization: `Bearer ${benchKey}` };
const payload = JSON.stringify({ n: 21, text: 'a short payload, as most webhooks send', tags: ['a', 'b', 'c'] });
/** Edges are distributed over this many workflows, as in a real service. */
const edgeWorkflows = 200;

function post(path: string, body: string): autocannon.Request {
  return { method: 'POST', path, headers, body };
}

let edgeCount = 0;

/** Each request creates another edge: between nodes that need not exist yet, which the interface allows. */
function postEdge(pathOf: (index: number) => string): autocannon.Request {
  return {
    method: 'POST',
    headers,
    setupRequest: (request) => {
      edgeCount += 1;
      const body = JSON.stringify({ source_node_id: `a${edgeCount}`, target_node_id: `b${edgeCount}` });
      return { ...request, path: pathOf(edgeCount % edgeWorkflows), body };
    },
  };
}

export const cases: readonly Case[] = [
  ...[1, 50].map((connections) => ({
    name: 'webhook accepted (committed, fsynced), then webhook → transform → respond runs',
    connections,
    millrace: () => [post('/api/v1/webhooks/bench-accept', payload)],
    bare: () => [post('/accept/x', payload)],
  })),
  ...[1, 50].map((connections) => ({
    name: 'webhook → transform → respond, synchronous and journaled',
    connections,
    millrace: () => [post('/api/v1/webhooks/bench-answer', payload)],
    bare: () => [post('/answer/x', payload)],
  })),
  {
    name: 'POST edge',
    connections: 50,
    millrace: () => [postEdge((index) => `/api/v1/workflows/bench-edges-${index}/edges/`)],
    bare: () => [postEdge((index) => `/edges/${index}`)],
  },
  {
    name: 'GET workflow detail, 20 nodes',
    connections: 50,
    millrace: () => [{ method: 'GET', path: '/api/v1/workflows/bench-detail/', headers }],
    bare: () => [{ method: 'GET', path: '/bench-detail', headers }],
  },
];

async function call(server: Running, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function createWorkflow(server: Running, slug: string): Promise<void> {
  await call(server, 'POST', '/api/v1/workflows/', { name: slug, slug });
}

async function createRunnable(server: Running, slug: string, responseMode: string): Promise<void> {
  await createWorkflow(server, slug);
  const nodes = [
    ['hook', 'trigger_webhook', { response_mode: responseMode }],
    ['double', 'transform', { fields: { doubled: '{{ trigger.payload.n * 2 }}' } }],
    ['answer', 'respond', {}],
  ] as const;
  for (const [node_id, component_type, extra_config] of nodes) {
    await call(server, 'POST', `/api/v1/workflows/${slug}/nodes/`, {
      node_id,
      component_type,
      config: { extra_config },
    });
  }
  for (const [source_node_id, target_node_id] of [
    ['hook', 'double'],
    ['double', 'answer'],
  ]) {
    await call(server, 'POST', `/api/v1/workflows/${slug}/edges/`, { source_node_id, target_node_id });
  }
}

/** Creates the workflows of the cases, and gives the bare server the same detail to respond with. */
export async function prepare(millrace: Running, bare: Running): Promise<void> {
  await createRunnable(millrace, 'bench-accept', 'immediately');
  await createRunnable(millrace, 'bench-answer', 'respond_node');
  for (let index = 0; index < edgeWorkflows; index += 1) await createWorkflow(millrace, `bench-edges-${index}`);
  await createWorkflow(millrace, 'bench-detail');
  for (let index = 0; index < 20; index += 1) {
    const node = {
      node_id: `n${index}`,
      component_type: 'transform',
      config: { extra_config: { fields: { a: index } } },
    };
    await call(millrace, 'POST', '/api/v1/workflows/bench-detail/nodes/', node);
    if (index === 0) continue;
    const edge = { source_node_id: `n${index - 1}`, target_node_id: `n${index}` };
    await call(millrace, 'POST', '/api/v1/workflows/bench-detail/edges/', edge);
  }
  await call(bare, 'PUT', '/bench-detail', await call(millrace, 'GET', '/api/v1/workflows/bench-detail/'));
}

/** Resolves when the service has performed all accepted runs. */
export async function untilIdle(millrace: Running): Promise<void> {
  for (const status of ['pending', 'running']) {
    const path = `/api/v1/executions/?limit=1&status=${status}`;
    while (((await call(millrace, 'GET', path)) as { total: number }).total > 0) {
      // Milliseconds between two polls: short enough to lose no time, and long enough to use none.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
