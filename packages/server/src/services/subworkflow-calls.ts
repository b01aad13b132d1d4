import { type Graph, own, readNodeConfig } from '@millrace/core';

/** A node that runs another workflow, where its slug is written out. */
interface Call {
  readonly nodeId: string;
  readonly slug: string;
}

const caller = 'workflow';

/** The calls of other workflows in a graph. A slug that an expression makes is known when the step runs, and checked then. */
export function callsIn(graph: Graph): readonly Call[] {
  return graph.nodes.flatMap(({ nodeId, componentType, config }) => {
    const common = componentType === caller ? readNodeConfig(config) : null;
    const slug = common?.success ? own(common.data.extra_config, 'workflow') : undefined;
    return typeof slug === 'string' && !slug.includes('{{') ? [{ nodeId, slug }] : [];
  });
}
