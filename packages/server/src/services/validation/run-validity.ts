import {
  type Catalogue,
  calledSlug,
  checkCall,
  type Graph,
  type GraphIssue,
  InvalidWorkflow,
  isError,
  type Node,
  noWorld,
  validateGraph,
  type Workflow,
} from '@millrace/core';
import { type CalleePorts, findCallees } from './callees.ts';
import { settingIssues, type WorldPorts } from './graph-world.ts';

/** Decides whether a version of a workflow may run: a run with errors performs no step. */
export interface RunValidity {
  /** The errors of the graph itself, computed once for each graph. */
  errorsIn(graph: Graph): readonly GraphIssue[];
  /** True if it calls other workflows by name. */
  callsOthers(graph: Graph): boolean;
  /** The errors in its calls of other workflows, in their current state. */
  callErrors(workflowId: number, graph: Graph): Promise<readonly GraphIssue[]>;
  /** @throws InvalidWorkflow with all errors, if there are any */
  check(workflow: CallingWorkflow, graph: Graph): Promise<void>;
}

type CallingWorkflow = Pick<Workflow, 'id' | 'slug' | 'ownerId' | 'isPublic'>;

interface ValidityPorts extends CalleePorts, Pick<WorldPorts, 'readTimetable'> {
  readonly catalogue: Catalogue;
}

export function createRunValidity(ports: ValidityPorts): RunValidity {
  const { catalogue, readTimetable } = ports;
  const world = { ...noWorld, ...settingIssues(readTimetable) };
  // Weak: a result lives as long as the graph is cached.
  const found = new WeakMap<Graph, readonly GraphIssue[]>();

  function errorsIn(graph: Graph): readonly GraphIssue[] {
    const errors = found.get(graph) ?? validateGraph(graph, catalogue, world).filter(isError);
    found.set(graph, errors);
    return errors;
  }

  async function errorsOfCalls(workflow: CallingWorkflow, graph: Graph): Promise<readonly GraphIssue[]> {
    const calls = callsIn(graph);
    if (calls.length === 0) return [];
    const callee = await findCallees(ports, { workflow, nodes: calls, user: { id: workflow.ownerId } });
    return calls.flatMap((node) => checkCall(node, { ...world, callee })).filter(isError);
  }

  return {
    errorsIn,
    callsOthers: (graph) => callsIn(graph).length > 0,
    async callErrors(workflowId, graph) {
      const workflow = await ports.store.workflows.byId(workflowId);
      return workflow === null ? [] : errorsOfCalls(workflow, graph);
    },
    async check(workflow, graph) {
      const errors = [...errorsIn(graph), ...(await errorsOfCalls(workflow, graph))];
      if (errors.length > 0) throw new InvalidWorkflow(errors);
    },
  };
}

function callsIn({ nodes }: Graph): readonly Node[] {
  return nodes.filter((node) => calledSlug(node) !== null);
}
