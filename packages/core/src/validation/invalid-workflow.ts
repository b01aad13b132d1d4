import { Problem } from '../errors.ts';
import type { Graph } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';

/** Why a workflow performs no step: the errors that its validation found, at least one. */
export class InvalidWorkflow extends Problem {
  readonly issues: readonly GraphIssue[];

  constructor(errors: readonly GraphIssue[]) {
    super('invalid_workflow', sentenceOf(errors));
    this.name = 'InvalidWorkflow';
    this.issues = errors;
  }
}

function sentenceOf([first, ...others]: readonly GraphIssue[]): string {
  const more = others.length === 0 ? '' : ` (and ${others.length} more: see validate/)`;
  return `The workflow is not valid, so no step was performed: ${first?.message ?? ''}${more}`;
}

/** The issues that matter to a run of a part of the graph, by its nodes: others are outside of its way. */
export function issuesInPart(
  issues: readonly GraphIssue[],
  { edges }: Pick<Graph, 'edges'>,
  part: ReadonlySet<string>,
): readonly GraphIssue[] {
  const targets = new Map(edges.map(({ id, targetNodeId }) => [id, targetNodeId]));
  return issues.filter(({ nodeId, edgeId }) => {
    const place = nodeId ?? (edgeId === undefined ? undefined : targets.get(edgeId));
    return place === undefined || part.has(place);
  });
}
