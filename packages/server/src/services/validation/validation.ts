import { type Catalogue, type GraphIssue, type User, validateGraph, type Workflow } from '@millrace/core';
import { graphWorld, type WorldPorts } from './graph-world.ts';
import { warmFor } from './warm-up.ts';

/** Checks whole workflows, without running anything. */
export interface Validation {
  check(user: User, workflow: Workflow): Promise<readonly GraphIssue[]>;
}

interface ValidationPorts extends WorldPorts {
  readonly catalogue: Catalogue;
}

export function createValidation(ports: ValidationPorts): Validation {
  return {
    async check(user, workflow) {
      const graph = await ports.graphs.current(workflow);
      await warmFor({ nodes: graph.nodes.length }, ports.catalogue);
      return validateGraph(graph, ports.catalogue, await graphWorld(ports, { workflow, nodes: graph.nodes, user }));
    },
  };
}
