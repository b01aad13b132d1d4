import type { Graph } from '../state/graph.ts';

/** A trigger node of a workflow. */
export interface TriggerNode {
  readonly nodeId: string;
  readonly label: string;
  readonly type: string;
  readonly triggerConfig: unknown;
}

/** The triggers of a workflow, those that are active first. */
export function triggersOf({ nodes }: Pick<Graph, 'nodes'>): readonly TriggerNode[] {
  return nodes
    .filter(({ component_type: type }) => type.startsWith('trigger_'))
    .sort((a, b) => Number(b.config.is_active !== false) - Number(a.config.is_active !== false))
    .map((node) => ({
      nodeId: node.node_id,
      label: node.label ?? node.node_id,
      type: node.component_type,
      triggerConfig: node.config.trigger_config,
    }));
}
