import { listed } from '../base/texts/listed-names.ts';
import { type Catalogue, type Component, isTrigger } from '../component/component.ts';
import { isSubComponentType } from '../component/ports.ts';
import { type labelOfSlot, slotOf } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly edges: readonly Edge[];
  readonly catalogue: Catalogue;
}

/** Adds to each issue how to fix it, if its message does not include that. */
export function withHints(issues: readonly GraphIssue[], around: Around): readonly GraphIssue[] {
  if (issues.length === 0) return issues;
  const edges = new Map(around.edges.map((edge) => [edge.id, edge]));
  return issues.map((issue) => {
    if (issue.hint !== undefined) return issue;
    const hint = hintFor(issue, issue.edgeId === undefined ? undefined : edges.get(issue.edgeId), around);
    return hint === null ? issue : { ...issue, hint };
  });
}

function hintFor({ code, nodeId = '' }: GraphIssue, edge: Edge | undefined, around: Around): string | null {
  switch (code) {
    case 'edge_types':
      if (edge !== undefined) return typesHint(edge, around);
      return "Put a 'merge' node before it, or connect one node only.";
    case 'edge_rule':
      return edge === undefined ? null : ruleHint(edge);
    case 'missing_node':
      return listed(around.nodes.keys(), 'The workflow has no nodes.');
    case 'unknown_component':
      return listed(around.catalogue.keys(), 'There are no component types.');
    case 'loop_body':
      return bodyHint(edge ?? bodyEdge(nodeId, around), around);
    case 'missing_error_edge':
      return "Add an edge labelled 'error' from the node, or set its on_error to 'stop' or 'continue'.";
    case 'unused_error_edge':
      return "Set on_error to 'route', or delete the edge.";
    case 'unused_rule':
      return "Add a conditional edge with this condition_value, or set enable_fallback and add one with '__other__'.";
    case 'join_unmet':
      return 'Lower the count of its join, or connect more nodes to it.';
    case 'no_trigger':
      return "Add a trigger, such as 'trigger_manual', and connect it to the first step.";
    case 'unreachable':
      return 'Add an edge to it from a trigger or from a node that a trigger reaches, or delete it.';
    default:
      return null;
  }
}

function ruleHint({ edgeType, conditionValue, sourceNodeId, targetNodeId, edgeLabel }: Edge): string {
  if (targetNodeId === '') return 'Set target_node_id to the name of a node.';
  if (sourceNodeId === targetNodeId) return "Only a 'loop' node repeats steps: see its 'loop_body' edge.";
  if (edgeType === 'conditional' && conditionValue === '') return 'Set condition_value to a route of the switch.';
  if (edgeLabel === 'error') return "Make it a direct edge: an edge labelled 'error' is taken when the node fails.";
  return "Make it a direct edge, or put a 'switch' node at its start.";
}

function typesHint({ sourceNodeId, targetNodeId, edgeLabel }: Edge, { nodes, catalogue }: Around): string | null {
  const source = catalogue.get(nodes.get(sourceNodeId)?.componentType ?? '');
  const target = catalogue.get(nodes.get(targetNodeId)?.componentType ?? '');
  if (source === undefined || target === undefined) return null;
  const slot = slotOf(edgeLabel);
  if (slot !== undefined) {
    return target.subInputs.some(({ name }) => name === slot.name)
      ? `Connect a node of one of these types instead: ${typesWith(catalogue, (one) => gives(one, slot.dataType))}.`
      : `Connect it to a node with a '${slot.name}' connection: ${typesWith(catalogue, (one) => has(one, slot.name))}.`;
  }
  const label = subComponentLabel(source);
  if (label !== undefined) return labelHint(label, { targetNodeId, target, catalogue });
  if (source.run === undefined) return `'${source.type}' never runs, so no such edge can begin there.`;
  return inputHint(target, { sourceNodeId, targetNodeId, source });
}

/** For an unlabelled edge from a model, a memory or a parser. */
function labelHint(
  label: NonNullable<ReturnType<typeof labelOfSlot>>,
  { targetNodeId, target, catalogue }: { targetNodeId: string; target: Component<never>; catalogue: Catalogue },
): string {
  const slot = slotOf(label)?.name ?? '';
  if (has(target, slot))
    return `Label the edge '${label}': it then fills the '${slot}' connection of '${targetNodeId}'.`;
  const types = typesWith(catalogue, (one) => has(one, slot));
  return `Connect it by an edge labelled '${label}' to a node with a '${slot}' connection: ${types}.`;
}

function inputHint(
  target: Component<never>,
  { sourceNodeId, targetNodeId, source }: { sourceNodeId: string; targetNodeId: string; source: Component<never> },
): string {
  const [input] = target.inputs;
  if (isTrigger(target)) return 'A trigger starts runs, so no edge can lead to it. Delete the edge.';
  if (input === undefined) {
    const label = subComponentLabel(target);
    return label !== undefined && has(source, slotOf(label)?.name ?? '')
      ? `Reverse the edge and label it '${label}': '${targetNodeId}' -> '${sourceNodeId}'.`
      : `'${target.type}' has no input. Delete the edge.`;
  }
  const between = `Put a node between them whose output is ${input.dataType}, such as 'transform' or 'code'`;
  const keys = input.suppliedBy ?? [];
  return keys.length === 0
    ? `${between}.`
    : `${between}, or set ${keys.map((key) => `'${key}'`).join(' or ')} of '${targetNodeId}': the edge then only orders execution.`;
}

/** The edge from a loop to the first node of its body. */
function bodyEdge(loop: string, { edges }: Around): Edge | undefined {
  return edges.find(({ edgeLabel, sourceNodeId }) => edgeLabel === 'loop_body' && sourceNodeId === loop);
}

/** Names the other edges into the first node of a body, which prevent it from being in the body. */
function bodyHint(edge: Edge | undefined, { incoming }: Around): string | null {
  if (edge?.edgeLabel !== 'loop_body') return null;
  const others = (incoming.get(edge.targetNodeId) ?? []).filter(
    (other) => other.id !== edge.id && other.edgeLabel !== 'loop_return' && slotOf(other.edgeLabel) === undefined,
  );
  if (others.length === 0) return null;
  const names = others.map(({ sourceNodeId, targetNodeId }) => `${sourceNodeId} -> ${targetNodeId}`);
  return `Other edges also lead to '${edge.targetNodeId}': ${names.slice(0, 5).join(', ')}. Only the loop may lead into its body.`;
}

/** The label that connects nodes of this type to their parent, if their first output is not data. */
function subComponentLabel({ outputs }: Component<never>): ReturnType<typeof labelOfSlot> {
  const type = outputs[0]?.dataType;
  if (type === undefined || !isSubComponentType(type)) return undefined;
  return (['llm', 'tool', 'memory', 'output_parser'] as const).find((label) => slotOf(label)?.dataType === type);
}

function has({ subInputs }: Component<never>, slot: string): boolean {
  return subInputs.some(({ name }) => name === slot);
}

function gives({ outputs }: Component<never>, type: string): boolean {
  return outputs.some(({ dataType }) => dataType === type);
}

function typesWith(catalogue: Catalogue, isWanted: (component: Component<never>) => boolean): string {
  const types = [...catalogue.values()].filter(isWanted).map(({ type }) => `'${type}'`);
  return types.join(', ') || 'no component type has one';
}
