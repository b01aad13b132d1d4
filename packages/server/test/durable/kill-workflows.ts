import { stateNodes } from './kill-state.ts';
import type { ServiceProcess } from './service-process.ts';

/** A workflow for the kill tests, and the calls of each of its executions. */
interface KilledWorkflow {
  readonly slug: string;
  readonly nodes: Readonly<Record<string, readonly [type: string, extra: object]>>;
  /** Lines of `a -> b`, or `a -loop_body-> b`. */
  readonly edges: readonly string[];
  /** The steps that call the external server, by their names in the ledger. */
  readonly calls: readonly string[];
  /** Whether clients start it; the others are started by workflows. */
  readonly isStarted: boolean;
}

const hook = ['trigger_webhook', {}] as const;

/**
 * Runs that are running, looping, waiting for a time, waiting for a person, and nested; each calls the external server.
 */
export function killedWorkflows(ledgerUrl: string): readonly KilledWorkflow[] {
  const note = (name: string) =>
    [
      'http_request',
      {
        method: 'POST',
        url: ledgerUrl,
        headers: { 'x-execution': '{{ run.id }}', 'x-step': name },
        body: { from: name },
      },
    ] as const;
  const double = ['transform', { fields: { n: '{{ trigger.payload.n * 2 }}' } }] as const;
  return [
    {
      slug: 'killed',
      nodes: { hook, first: note('first'), double, second: note('second') },
      edges: ['hook -> first', 'first -> double', 'double -> second'],
      calls: ['first', 'second'],
      isStarted: true,
    },
    {
      slug: 'looping',
      nodes: { hook, each: ['loop', { items: [1, 2, 3], concurrency: 2 }], note: note('note-{{ loop.index }}') },
      edges: ['hook -> each', 'each -loop_body-> note', 'note -loop_return-> each'],
      calls: ['note-0', 'note-1', 'note-2'],
      isStarted: true,
    },
    {
      slug: 'waiting',
      nodes: { hook, before: note('before'), pause: ['wait', { duration: 1 }], after: note('after') },
      edges: ['hook -> before', 'before -> pause', 'pause -> after'],
      calls: ['before', 'after'],
      isStarted: true,
    },
    {
      slug: 'interrupted',
      // Nobody answers; it continues at its timeout, some time after the restart.
      nodes: { hook, ask: ['human_confirmation', { timeout_seconds: 2, default: true }], agreed: note('agreed') },
      edges: ['hook -> ask', 'ask -> agreed'],
      calls: ['agreed'],
      isStarted: true,
    },
    {
      slug: 'counting',
      nodes: { hook, ...stateNodes },
      edges: ['hook -> count', 'count -> list', 'list -> mark', 'mark -> last'],
      calls: [],
      isStarted: true,
    },
    {
      slug: 'nested',
      nodes: { hook, inner: ['workflow', { workflow: 'inner' }], outside: note('outside') },
      edges: ['hook -> inner', 'inner -> outside'],
      calls: ['outside'],
      isStarted: true,
    },
    {
      slug: 'inner',
      nodes: { hook: ['trigger_workflow', {}], inside: note('inside') },
      edges: ['hook -> inside'],
      calls: ['inside'],
      isStarted: false,
    },
  ];
}

/** Creates it through the API, as a user would. */
export async function createWorkflow(service: ServiceProcess, { slug, nodes, edges }: KilledWorkflow): Promise<void> {
  const call = async (path: string, body: unknown): Promise<void> => {
    const answer = await service.call('POST', `/api/v1/workflows/${path}`, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await call('', { name: slug, slug });
  for (const [node_id, [component_type, extra_config]] of Object.entries(nodes)) {
    await call(`${slug}/nodes/`, { node_id, component_type, config: { extra_config } });
  }
  for (const line of edges) {
    const [, source_node_id, edge_label = '', target_node_id] = /^(\w+) -(?:(\w+)-)?> (\w+)$/.exec(line) ?? [];
    await call(`${slug}/edges/`, { source_node_id, target_node_id, edge_label });
  }
}
