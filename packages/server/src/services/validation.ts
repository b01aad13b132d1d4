import { type Catalogue, type GraphIssue, validateGraph, type Workflow } from '@millrace/core';
import type { Graphs } from './graphs.ts';

/** Checks whole workflows, without running anything. */
export interface Validation {
  check(workflow: Workflow): Promise<readonly GraphIssue[]>;
}

export function createValidation(graphs: Graphs, catalogue: Catalogue): Validation {
  return {
    check: async (workflow) => validateGraph(await graphs.current(workflow), catalogue),
  };
}
