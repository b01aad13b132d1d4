import {
  type Catalogue,
  calledSlug,
  checkCall,
  type Graph,
  type GraphIssue,
  InvalidWorkflow,
  isError,
  issuesInPart,
  type Node,
  noWorld,
  type SlicedWork,
  validatingGraph,
  variablesCheck,
  type Workflow,
} from '@millrace/core';
import { slices } from '../../ground/slices.ts';
import type { Store } from '../../store/store.ts';
import { type CalleePorts, findCallees } from './callees.ts';
import { settingIssues, type WorldPorts } from './graph-world.ts';

/**
 * Whether a version of a workflow may run: a run with errors performs no step. Finds the same errors as `validate/`,
 * which also has warnings, for example of credentials.
 */
export interface RunValidity {
  /** The errors of the graph itself, computed once for each graph. */
  errorsIn(graph: Graph): SlicedWork<readonly GraphIssue[]>;
  /** True if it calls other workflows or names variables. */
  dependsOnOthers(graph: Graph): boolean;
  /** The errors in its calls of other workflows and its use of variables, in their current state. */
  outerErrors(workflowId: number, graph: Graph): Promise<readonly GraphIssue[]>;
  /**
   * @param part the nodes of a run of a part of the graph: errors elsewhere do not matter
   * @throws InvalidWorkflow with all errors, if there are any
   */
  check(workflow: CheckedWorkflow, graph: Graph, part?: ReadonlySet<string> | null): Promise<void>;
}

type CheckedWorkflow = Pick<Workflow, 'id' | 'slug' | 'ownerId' | 'isPublic'>;

interface ValidityPorts extends CalleePorts, Pick<WorldPorts, 'readTimetable'> {
  readonly store: CalleePorts['store'] & Pick<Store, 'variables'>;
  readonly catalogue: Catalogue;
}

export function createRunValidity(ports: ValidityPorts): RunValidity {
  const { catalogue, readTimetable, store } = ports;
  const world = { ...noWorld, ...settingIssues(readTimetable) };
  // Weak: a result lives as long as the graph is cached.
  const found = new WeakMap<Graph, readonly GraphIssue[]>();

  function* errorsIn(graph: Graph): SlicedWork<readonly GraphIssue[]> {
    const errors = found.get(graph) ?? (yield* validatingGraph(graph, catalogue, world)).filter(isError);
    found.set(graph, errors);
    return errors;
  }

  async function errorsOfCalls(workflow: CheckedWorkflow, graph: Graph): Promise<readonly GraphIssue[]> {
    const calls = callsIn(graph);
    if (calls.length === 0) return [];
    const callee = await findCallees(ports, { workflow, nodes: calls, user: { id: workflow.ownerId } });
    return calls.flatMap((node) => checkCall(node, { ...world, callee })).filter(isError);
  }

  async function errorsOfVariables({ id }: CheckedWorkflow, graph: Graph): Promise<readonly GraphIssue[]> {
    const nodes = graph.nodes.filter(mayNameVariables);
    if (nodes.length === 0) return [];
    const check = variablesCheck(await store.variables.visibleTo({ workflowId: id }));
    const issues = nodes.flatMap((node) => {
      const component = catalogue.get(node.componentType);
      return component === undefined ? [] : check(node, component);
    });
    return issues.filter(isError);
  }

  async function errorsOutside(workflow: CheckedWorkflow, graph: Graph): Promise<readonly GraphIssue[]> {
    return [...(await errorsOfCalls(workflow, graph)), ...(await errorsOfVariables(workflow, graph))];
  }

  return {
    errorsIn,
    dependsOnOthers: (graph) => callsIn(graph).length > 0 || graph.nodes.some(mayNameVariables),
    async outerErrors(workflowId, graph) {
      const workflow = await store.workflows.byId(workflowId);
      return workflow === null ? [] : errorsOutside(workflow, graph);
    },
    async check(workflow, graph, part = null) {
      const all = [...(await slices.finish(errorsIn(graph))), ...(await errorsOutside(workflow, graph))];
      const errors = part === null ? all : issuesInPart(all, graph, part);
      if (errors.length > 0) throw new InvalidWorkflow(errors);
    },
  };
}

function callsIn({ nodes }: Graph): readonly Node[] {
  return nodes.filter((node) => calledSlug(node) !== null);
}

/** A quick look: most configs name no variable, and runs begin often. */
function mayNameVariables({ config }: Node): boolean {
  return JSON.stringify(config).includes('vars');
}
