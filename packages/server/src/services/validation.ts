import { type Catalogue, type GraphIssue, validateGraph, type Workflow } from '@millrace/core';
import type { AccessStore } from './access.ts';
import type { Graphs } from './graphs.ts';
import { checkSubworkflows } from './subworkflow-check.ts';

/** Checks whole workflows, without running anything. */
export interface Validation {
  check(workflow: Workflow): Promise<readonly GraphIssue[]>;
}

interface ValidationPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
}

export function createValidation(ports: ValidationPorts): Validation {
  return {
    async check(workflow) {
      const graph = await ports.graphs.current(workflow);
      return [...validateGraph(graph, ports.catalogue), ...(await checkSubworkflows(ports, workflow, graph))];
    },
  };
}
