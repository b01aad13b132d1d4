import type { Operation } from '../../api/graph.ts';
import type { NodeType } from '../../api/node-types.ts';
import type { Issue } from '../../api/validation.ts';
import type { Graph } from '../../state/graph.ts';
import { newNode } from '../../state/new-node.ts';

/** A change that removes a problem. */
export interface QuickFix {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** An issue of the graph, as a person sees it. */
export interface Problem {
  readonly id: string;
  readonly isError: boolean;
  readonly message: string;
  readonly hint: string | null;
  readonly nodeId: string | null;
  /** The name of the node and of its field. */
  readonly place: string;
  /** The key of the field in its form; null if the problem is not about one. */
  readonly field: string | null;
  readonly fix: QuickFix | null;
}

type Types = Readonly<Record<string, NodeType>>;

/** The problems of a graph: errors first, then in the order of the check. */
export function problemsOf(issues: readonly Issue[], graph: Graph, types: Types): readonly Problem[] {
  const problems = issues.map((issue, index): Problem => {
    const { node_id: nodeId = null, severity, hint = null } = issue;
    const field = fieldOf(issue);
    const message = withoutPlace(issue);
    const label = graph.nodes.find((node) => node.node_id === nodeId)?.label ?? nodeId;
    const place = [label, ...pathOf(issue).map((key) => key.replaceAll('_', ' '))].filter(Boolean).join(' › ');
    const fix = quickFix(issue, graph, types);
    return { id: `${index} ${issue.code}`, isError: severity === 'error', message, hint, nodeId, place, field, fix };
  });
  return problems.toSorted((a, b) => Number(b.isError) - Number(a.isError));
}

/** The keys of a field: `rules`, `1` and `value` for `extra_config.rules.0.value`. People count from 1. */
function pathOf({ field = '' }: Issue): readonly string[] {
  const keys = field.replace(/^extra_config\.?/, '').match(/[^.[\]]+/g) ?? [];
  return keys.map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : key));
}

/** The key of the field in the form: `rules` for `extra_config.rules.0.value`. */
function fieldOf(issue: Issue): string | null {
  return pathOf(issue)[0] ?? null;
}

/** The message without the place that it begins with, which is shown as the names of the node and its field. */
function withoutPlace({ node_id: nodeId, field, message }: Issue): string {
  if (nodeId === undefined || field === undefined) return message;
  const begin = `Node '${nodeId}', ${field}: `;
  return message.startsWith(begin) ? message.slice(begin.length) : message;
}

/** Edges that only have to be deleted. */
const uselessEdges: ReadonlySet<string> = new Set(['unused_error_edge', 'unused_route', 'missing_node', 'edge_rule']);

function quickFix(
  { code, node_id: nodeId, edge_id: edgeId, message }: Issue,
  graph: Graph,
  types: Types,
): QuickFix | null {
  if (edgeId !== undefined && uselessEdges.has(code))
    return { name: 'Delete the connection', operations: [{ op: 'delete_edge', edge_id: edgeId }] };
  if (nodeId === undefined) return null;
  if (code === 'unreachable') return { name: 'Delete the node', operations: [{ op: 'delete_node', node_id: nodeId }] };
  return code === 'missing_connection' && message.includes("'model'") ? addModel(nodeId, graph, types) : null;
}

/** Connects the model that the graph has, or a new one. */
function addModel(nodeId: string, graph: Graph, types: Types): QuickFix | null {
  const edge = (model: string): Operation => {
    return { op: 'create_edge', edge: { source_node_id: model, target_node_id: nodeId, edge_label: 'llm' } };
  };
  const existing = graph.nodes.find((node) => node.component_type === 'ai_model');
  if (existing !== undefined)
    return { name: `Connect ${existing.label ?? existing.node_id}`, operations: [edge(existing.node_id)] };
  const type = types.ai_model;
  if (type === undefined) return null;
  const node = newNode(type, graph.nodes);
  return { name: 'Add a model', operations: [{ op: 'create_node', node }, edge(node.node_id)] };
}
