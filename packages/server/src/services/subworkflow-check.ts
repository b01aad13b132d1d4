import type { Graph, GraphIssue, Workflow } from '@millrace/core';
import { type AccessStore, standingOf } from './access.ts';
import type { Graphs } from './graphs.ts';
import { callsIn } from './subworkflow-calls.ts';

interface CheckPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
}

/** Workflows that one check looks at: more than anybody chains, and an answer in good time. */
const maxVisited = 200;

/**
 * What is wrong with the workflows that a graph runs: one that is not there for the owner, and one that comes back to
 * this one, which would start itself until the limit on depth ends it.
 */
export async function checkSubworkflows(
  ports: CheckPorts,
  workflow: Workflow,
  graph: Graph,
): Promise<readonly GraphIssue[]> {
  const issues: GraphIssue[] = [];
  for (const { nodeId, slug } of callsIn(graph)) {
    const place = { nodeId, field: 'extra_config.workflow', path: ['extra_config', 'workflow'] } as const;
    const target = await visible(ports, workflow, slug);
    if (target === null) {
      const message = `Node '${nodeId}': workflow '${slug}' does not exist, or the workflow's owner may not see it.`;
      issues.push({ code: 'unknown_workflow', severity: 'error', message, ...place });
    } else if (await comesBack(ports, workflow, target)) {
      const how =
        target.id === workflow.id ? 'this workflow itself' : `workflow '${slug}', which comes back to this one`;
      issues.push({ code: 'subworkflow_cycle', severity: 'error', message: `Node '${nodeId}' runs ${how}.`, ...place });
    }
  }
  return issues;
}

/** As a run would find it: with the rights of the owner of the workflow whose run it is. */
async function visible({ store }: CheckPorts, { ownerId }: Workflow, slug: string): Promise<Workflow | null> {
  const target = await store.workflows.bySlug(slug);
  return target !== null && (await standingOf(store, { id: ownerId }, target)) !== null ? target : null;
}

async function comesBack(ports: CheckPorts, workflow: Workflow, target: Workflow): Promise<boolean> {
  const visited = new Map([[target.id, target]]);
  for (const next of visited.values()) {
    if (next.id === workflow.id) return true;
    if (visited.size > maxVisited) return false;
    for (const { slug } of callsIn(await ports.graphs.current(next))) {
      const called = await visible(ports, next, slug);
      if (called !== null) visited.set(called.id, called);
    }
  }
  return false;
}
