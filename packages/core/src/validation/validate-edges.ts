import type { Catalogue } from '../component/component.ts';
import { checkEnds, type Ends } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { isObject, own } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
  /** ` Did you mean …?`, or nothing. */
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
}

/** What is wrong with an edge in its graph: nodes that it names, its rules, and the types at its ends. */
export function checkEdgeIn(edge: Edge, { nodes, catalogue, suggest }: Around): readonly GraphIssue[] {
  const { id: edgeId, sourceNodeId, targetNodeId, conditionMapping } = edge;
  // `__end__` is no node: it ends the branch.
  const mapped = Object.values(conditionMapping ?? {}).filter((name) => name !== '__end__');
  const missing = new Set([sourceNodeId, targetNodeId, ...mapped].filter((name) => !nodes.has(name)));
  const issues: GraphIssue[] = [...missing].map((name) => {
    const message = `The edge ${sourceNodeId} -> ${targetNodeId} names node '${name}', which does not exist.`;
    return { code: 'missing_node', severity: 'error', edgeId, message: `${message}${suggest(name, nodes.keys())}` };
  });
  const ends = { source: nodes.get(sourceNodeId), target: nodes.get(targetNodeId) };
  const fault = ends.source === undefined ? null : checkEnds(edge, ends, catalogue);
  if (fault === null) return issues;
  if (fault.kind !== 'types')
    return [...issues, { code: 'edge_rule', severity: 'error', edgeId, message: fault.message }];
  const unread = unreadInput(edge, ends, catalogue);
  // The message of an error is the interface's, word for word.
  const note = unread === null ? '' : `, but node '${targetNodeId}' has its own '${unread}' and does not read it`;
  const severity = unread === null ? 'error' : 'warning';
  const types = fault.messages.map(
    (message): GraphIssue => ({ code: 'edge_types', severity, edgeId, message: `${message}${note}` }),
  );
  return [...issues, ...types];
}

/** The input of an edge's target that is not read, because the config gives what it is for; else null. */
function unreadInput({ edgeLabel }: Edge, { source, target }: Ends, catalogue: Catalogue): string | null {
  const [input] = catalogue.get(target?.componentType ?? '')?.inputs ?? [];
  // What is never a step, such as a model, gives nothing that could stay unread.
  const isFlow = catalogue.get(source?.componentType ?? '')?.run !== undefined;
  if (input === undefined || !isFlow || (edgeLabel !== '' && edgeLabel !== 'error')) return null;
  const { extra_config: given = null } = target?.config ?? {};
  return isObject(given) && own(given, input.name) !== undefined ? input.name : null;
}
