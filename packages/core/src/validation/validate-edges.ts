import { type Catalogue, isTrigger } from '../component/component.ts';
import { checkEnds } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly catalogue: Catalogue;
  /** ` Did you mean …?`, or an empty text. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
}

/** The issues of an edge in its graph: missing nodes, violated rules, and the types at its ends. */
export function checkEdgeIn(edge: Edge, { nodes, incoming, catalogue, suggest }: Around): readonly GraphIssue[] {
  const { id: edgeId, sourceNodeId, targetNodeId, conditionMapping } = edge;
  // `__end__` is not a node: it ends the branch.
  const mapped = Object.values(conditionMapping ?? {}).filter((name) => name !== '__end__');
  const missing = new Set([sourceNodeId, targetNodeId, ...mapped].filter((name) => !nodes.has(name)));
  const issues: GraphIssue[] = [...missing].map((name) => {
    const message = `The edge ${sourceNodeId} -> ${targetNodeId} names node '${name}', which does not exist.`;
    return { code: 'missing_node', severity: 'error', edgeId, message: `${message}${suggest(name, nodes.keys())}` };
  });
  const intoSource = incoming.get(sourceNodeId) ?? [];
  const ends = { source: nodes.get(sourceNodeId), target: nodes.get(targetNodeId), intoSource };
  issues.push(...checkBodyStart(edge, ends.target, catalogue));
  const issue = checkEnds(edge, ends, catalogue);
  if (issue === null) return issues;
  const severity = 'error';
  if (issue.kind !== 'types') return [...issues, { code: 'edge_rule', severity, edgeId, message: issue.message }];
  return [
    ...issues,
    ...issue.messages.map((message): GraphIssue => ({ code: 'edge_types', severity, edgeId, message })),
  ];
}

/** The types at a `loop_body` edge are not checked, but its target must be able to run in a body. */
function checkBodyStart(edge: Edge, target: Node | undefined, catalogue: Catalogue): readonly GraphIssue[] {
  const component = edge.edgeLabel === 'loop_body' && target && catalogue.get(target.componentType);
  if (!component || (component.run !== undefined && !isTrigger(component))) return [];
  const { id: edgeId, sourceNodeId, targetNodeId } = edge;
  const what = isTrigger(component) ? 'a trigger' : `of type '${component.type}', which never runs`;
  const message = `The edge ${sourceNodeId} -> ${targetNodeId} is labelled 'loop_body', but '${targetNodeId}' is ${what}.`;
  return [{ code: 'loop_body', severity: 'error', edgeId, message }];
}
