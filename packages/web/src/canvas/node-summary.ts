import type { NodeType } from '../api/node-types.ts';
import type { GraphNode } from '../state/graph.ts';

/** The keys of a config that describe a node best, the best ones first. They contain no secrets. */
const describingKeys = [
  'url',
  'cron',
  'expression',
  'template',
  'prompt',
  'operation',
  'duration',
  'workflow',
  'language',
  'text',
];

/** One line about a node: its type, and what its config does, or the model that it uses. */
export function summaryOf(node: GraphNode, type: NodeType | undefined, usedModel = ''): string {
  const name = type?.label ?? node.component_type;
  const extra = node.config.extra_config as Readonly<Record<string, unknown>>;
  const { model_name: model } = node.config;
  const found = describingKeys.map((key) => extra[key]).find((value) => typeof value === 'string' && value !== '');
  const detail = typeof found === 'string' ? found : usedModel === '' ? model : usedModel;
  return typeof detail === 'string' && detail !== '' ? `${name} · ${detail}` : name;
}
