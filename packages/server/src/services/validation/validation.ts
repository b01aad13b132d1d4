import {
  type Catalogue,
  type Graph,
  type GraphIssue,
  limitIssues,
  type User,
  validatingGraph,
  type Workflow,
} from '@millrace/core';
import { slices } from '../../ground/slices.ts';
import { graphWorld, type WorldPorts } from './graph-world.ts';
import { warmFor } from './warm-up.ts';

/** Validates whole workflows without running them. */
export interface Validation {
  /** Checks the newest version. */
  check(user: User, workflow: Workflow): Promise<readonly GraphIssue[]>;
  /** Checks any version of the workflow. */
  checkGraph(user: User, workflow: Workflow, graph: Graph): Promise<readonly GraphIssue[]>;
}

interface ValidationPorts extends WorldPorts {
  readonly catalogue: Catalogue;
}

export function createValidation(ports: ValidationPorts): Validation {
  const checkGraph: Validation['checkGraph'] = async (user, workflow, graph) => {
    await warmFor({ nodes: graph.nodes.length }, ports.catalogue);
    const world = await graphWorld(ports, { workflow, nodes: graph.nodes, user });
    return limitIssues(await slices.finish(validatingGraph(graph, ports.catalogue, world)));
  };
  return {
    checkGraph,
    check: async (user, workflow) => checkGraph(user, workflow, await ports.graphs.current(workflow)),
  };
}
