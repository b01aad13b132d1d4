import { adminKey } from '../../e2e/harness/service.ts';
import type { Stage } from '../../e2e/harness/stage.ts';
import { generatedGraph } from './generated-graph.ts';

/** Drawn only: each has its own seed, so that no measurement profits from another. */
const graphs = [
  ['g12', 12],
  ['g100', 100],
  ['g500', 500],
  ['g1000', 1000],
  ['g1000 to lay out', 1000],
] as const;

/** A step whose output is the payload of a webhook. */
const large = `
name: large
nodes:
  - {id: hook, type: trigger_webhook, response_mode: last_node}
  - {id: large, type: transform, expression: trigger.payload}
edges:
  - hook -> large
`;

/** Just below the largest body of a webhook. */
const largeBytes = 4_900_000;

/** Creates the workflows and the run of the measurements. Returns their names in the addresses of pages. */
export async function prepare({ service }: Stage): Promise<ReadonlyMap<string, string>> {
  const slugs = new Map<string, string>();
  const create = async (name: string, text: string): Promise<void> => {
    const { slug } = await service.call<{ slug: string }>('workflows/import/', {
      method: 'POST',
      body: { yaml_str: text },
    });
    slugs.set(name, slug);
  };
  for (const [index, [name, size]] of graphs.entries()) {
    await create(name, generatedGraph(name, size, { seed: index + 1 }));
  }
  const { nodes } = await service.call<Detail>(`workflows/${slugs.get('g500')}/`);
  const template = nodes.find(({ component_type: type }) => type === 'template');
  slugs.set('g500 template', template?.node_id ?? '');
  await create('large', large);
  slugs.set('large run', await largeRun(service, slugs.get('large') ?? ''));
  return slugs;
}

interface Detail {
  readonly nodes: readonly { readonly node_id: string; readonly component_type: string }[];
}

async function largeRun(service: Stage['service'], slug: string): Promise<string> {
  const order = { number: 1, customer: 'A customer with a name', items: ['pen', 'paper', 'ink'], total: 12.5 };
  const count = Math.floor(largeBytes / (JSON.stringify(order).length + 1));
  const orders = Array.from({ length: count }, () => order);
  const response = await fetch(`${service.url}/api/v1/webhooks/${slug}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(orders),
  });
  if (!response.ok) throw new Error(`The webhook answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  const { items } = await service.call<{ items: { execution_id: string }[] }>('executions/');
  return items[0]?.execution_id ?? '';
}
