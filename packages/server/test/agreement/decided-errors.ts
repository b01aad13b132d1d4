import { catalogue } from '@millrace/components';
import type { Edge, Graph, GraphIssue } from '@millrace/core';
import type { issueCodes } from '@millrace/core/testkit';
import type { Reception } from './performed-steps.ts';
import { isFlow, performedAlone, type SampledRuns } from './sampled-runs.ts';

type IssueCode = keyof typeof issueCodes;

/**
 * What the runs say of an error that the check found: a run cannot do it (`confirmed`), a run does it (`refuted`), or no
 * run gets there. `exempt` for an error that runs cannot decide.
 */
export type Result = 'confirmed' | 'refuted' | 'not reached' | 'exempt';

interface Case {
  readonly issue: GraphIssue;
  readonly graph: Graph;
  readonly sampled: SampledRuns;
}

type Decide = (decided: Case) => Result | Promise<Result>;

/** How runs decide the errors with each code; or why they cannot. */
export const decisions: Readonly<Record<IssueCode, Decide | string>> = {
  // No run can begin.
  cycle: byPlan,
  loop_body: byPlan,
  expression: byPlan,
  unknown_component: byPlan,
  // The step fails in every run that performs it.
  unknown_name: byExpression,
  not_run_yet: byExpression,
  secret_variable: byExpression,
  missing_connection: byFailure,
  missing_input: byFailure,
  missing_setting: byFailure,
  bad_setting: byFailure,
  edge_types: byInput,
  // The step is performed in no run.
  join_unmet: ({ issue, sampled }) => {
    if (!isReached(sampled, issue.nodeId)) return 'not reached';
    return visitsOf(sampled, issue.nodeId).length > 0 ? 'refuted' : 'confirmed';
  },
  // Its failure ends the run.
  missing_error_edge: ({ issue, sampled }) => {
    const runs = sampled.runs.filter(({ failed }) => failed.includes(issue.nodeId ?? ''));
    if (runs.length === 0) return 'not reached';
    return runs.some(({ hasFailed }) => !hasFailed) ? 'refuted' : 'confirmed';
  },
  missing_node: ({ issue, graph }) => {
    const edge = edgeOf(issue, graph);
    const known = new Set([...graph.nodes.map(({ nodeId }) => nodeId), '__end__']);
    const named = [edge?.sourceNodeId, edge?.targetNodeId, ...Object.values(edge?.conditionMapping ?? {})];
    return named.some((name) => name !== undefined && !known.has(name)) ? 'confirmed' : 'refuted';
  },
  config: 'A config that violates its schema cannot be stored, and what a component makes of one is undefined.',
  edge_rule: 'The specification forbids these edges by their form, whatever a run would make of them.',
  never_fires: 'A run that a person starts does not need the timetable, which has tests of its own.',
  subworkflow_input: 'It depends on another workflow: the tests of calls run both.',
  subworkflow_start: 'It depends on another workflow: the tests of calls run both.',
  subworkflow_cycle: 'It depends on another workflow: the tests of calls run both.',
  unknown_workflow: 'It depends on other workflows: the tests of calls run them.',
  // Warnings only: they prevent no run.
  unordered: 'A warning.',
  credential_missing: 'A warning.',
  unusable_credential: 'A warning.',
  no_conversation: 'A warning.',
  injection_path: 'A warning.',
  unused_error_edge: 'A warning.',
  unused_route: 'A warning.',
  unused_rule: 'A warning.',
  no_trigger: 'A warning.',
  mcp_trigger: 'A warning.',
  unreachable: 'A warning.',
  more_issues: 'A warning.',
  // Found before there is a graph.
  syntax: 'An error of a text.',
  too_large: 'An error of a text.',
  unsupported: 'An error of a text.',
  duplicate: 'An error of a text.',
  unknown_key: 'An error of a text.',
  field: 'An error of a text.',
  form: 'An error of a text.',
  unknown_credential: 'An error of a text.',
};

export async function resultOf(decided: Case): Promise<Result> {
  const decide = decisions[decided.issue.code];
  return typeof decide === 'string' ? 'exempt' : decide(decided);
}

/** Runs from each trigger that leads to it are impossible. */
function byPlan({ issue, graph, sampled: { starts } }: Case): Result {
  const edge = edgeOf(issue, graph);
  const place = issue.nodeId ?? edge?.sourceNodeId ?? '';
  const leading = starts.filter(({ reached }) => reached.has(place));
  if (leading.length === 0 || (edge !== undefined && !isFlow(edge))) return 'not reached';
  return leading.some(({ problem }) => problem === null) ? 'refuted' : 'confirmed';
}

/** The errors that end a step before its expressions are evaluated. */
const earlier: readonly Reception[] = ['missing_connection'];

/** A name has no value in any run: the expression fails wherever the step is performed. */
function byExpression({ issue, graph, sampled }: Case): Result {
  const receptions = visitsOf(sampled, issue.nodeId).flatMap((visit) => visit.receptions);
  const evaluated = receptions.filter((reception) => !earlier.includes(reception));
  if (evaluated.length === 0) return 'not reached';
  if (evaluated.every((reception) => reception === 'expression')) return 'confirmed';
  const component = componentOf(issue.nodeId, graph);
  // It evaluates its rules itself, and may reject its input before that.
  const rejectsFirst = component?.verbatim !== undefined && !evaluated.includes('accepted');
  return rejectsFirst ? 'not reached' : 'refuted';
}

/** The step fails whatever it receives; one that no run performs is performed alone, without an input. */
async function byFailure({ issue, graph, sampled }: Case): Promise<Result> {
  const visits = visitsOf(sampled, issue.nodeId);
  const alone = visits.length > 0 ? null : await performedAlone(graph, issue.nodeId ?? '');
  const receptions = alone ?? visits.flatMap((visit) => visit.receptions);
  if (receptions.length === 0) return 'not reached';
  return receptions.includes('accepted') ? 'refuted' : 'confirmed';
}

/** The step rejects every value of the type that the edge brings. */
function byInput({ issue, graph, sampled }: Case): Result {
  const edge = edgeOf(issue, graph);
  const target = edge?.targetNodeId ?? issue.nodeId;
  const component = componentOf(target, graph);
  // The interface decides these by the ports alone: the edge of a sub-component brings no value, a node without inputs
  // uses none, and what gathers takes each of its edges by itself.
  const isByPorts = edge !== undefined && edge.edgeLabel !== '' && edge.edgeLabel !== 'error';
  if (isByPorts || component?.inputs[0] === undefined || component.gathers !== undefined) return 'exempt';
  // Several values are an object, whatever their types; the interface still decides on each edge by itself.
  const isObject = (edgeIds: readonly number[]) => component.inputs[0]?.dataType === 'object' && edgeIds.length > 1;
  const visits = visitsOf(sampled, target).filter(
    ({ isKnown, edgeIds }) => isKnown && (edge === undefined || (edgeIds.includes(edge.id) && !isObject(edgeIds))),
  );
  if (visits.length === 0) return 'not reached';
  return visits.some(({ receptions }) => receptions.includes('accepted')) ? 'refuted' : 'confirmed';
}

function visitsOf({ runs }: SampledRuns, nodeId: string | undefined) {
  return runs.flatMap(({ visits }) => visits.filter((visit) => visit.nodeId === nodeId));
}

function isReached({ starts }: SampledRuns, nodeId = ''): boolean {
  return starts.some(({ reached, problem }) => problem === null && reached.has(nodeId));
}

function componentOf(name: string | undefined, { nodes }: Graph) {
  return catalogue.get(nodes.find(({ nodeId }) => nodeId === name)?.componentType ?? '');
}

function edgeOf({ edgeId }: GraphIssue, { edges }: Graph): Edge | undefined {
  return edges.find(({ id }) => id === edgeId);
}
