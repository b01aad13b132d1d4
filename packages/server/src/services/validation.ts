import { type Catalogue, type GraphIssue, validateGraph, type Workflow } from '@millrace/core';
import type { Store } from '../store/store.ts';
import type { AccessStore } from './access.ts';
import { graphWorld, type WorldPorts } from './graph-world.ts';
import type { Graphs } from './graphs.ts';
import { checkSubworkflows } from './subworkflow-check.ts';

/** Checks whole workflows, without running anything. */
export interface Validation {
  check(workflow: Workflow): Promise<readonly GraphIssue[]>;
}

interface ValidationPorts extends WorldPorts {
  readonly store: AccessStore & Pick<Store, 'credentials'>;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
}

export function createValidation(ports: ValidationPorts): Validation {
  return {
    async check(workflow) {
      const graph = await ports.graphs.current(workflow);
      const issues = validateGraph(graph, ports.catalogue, await graphWorld(ports));
      return [...issues, ...(await checkSubworkflows(ports, workflow, graph))];
    },
  };
}
