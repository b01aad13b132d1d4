import type { Catalogue } from '../component/component.ts';
import { checkEnds } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
  /** ` Did you mean …?`, or an empty text. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
}

/** The issues of an edge in its graph: missing nodes, violated rules, and the types at its ends. */
export function checkEdgeIn(edge: Edge, { nodes, catalogue, suggest }: Around): readonly GraphIssue[] {
  const { id: edgeId, sourceNodeId, targetNodeId, conditionMapping } = edge;
  // `__end__` is not a node: it ends the branch.
  const mapped = Object.values(conditionMapping ?? {}).filter((name) => name !== '__end__');
  const missing = new Set([sourceNodeId, targetNodeId, ...mapped].filter((name) => !nodes.has(name)));
  const issues: GraphIssue[] = [...missing].map((name) => {
    const message = `The edge ${sourceNodeId} -> ${targetNodeId} names node '${name}', which does not exist.`;
    return { code: 'missing_node', severity: 'error', edgeId, message: `${message}${suggest(name, nodes.keys())}` };
  });
  const ends = { source: nodes.get(sourceNodeId), target: nodes.get(targetNodeId) };
  const issue = ends.source === undefined ? null : checkEnds(edge, ends, catalogue);
  if (issue === null) return issues;
  const severity = 'error';
  if (issue.kind !== 'types') return [...issues, { code: 'edge_rule', severity, edgeId, message: issue.message }];
  return [
    ...issues,
    ...issue.messages.map((message): GraphIssue => ({ code: 'edge_types', severity, edgeId, message })),
  ];
}
