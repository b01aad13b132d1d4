import { isSameJson } from '../base/json-same.ts';
import type { Catalogue } from '../component/component.ts';
import { nodeConfig } from '../component/node-config.ts';
import { setOwn } from '../expression/set-own.ts';
import type { Budget } from '../graph/budget.ts';
import type { Edge, Graph, Node, Workflow } from '../graph/graph.ts';
import { isObject, type Json, type JsonObject, own } from '../json.ts';
import { printEdgeText } from './edge-text.ts';
import { headerDefaults } from './header.ts';
import { commonKeys, NodeKeys } from './node-keys.ts';
import { printEntry, printItem } from './yaml/yaml-print.ts';

/** The names for the ids that a workflow refers to. An id without a name is omitted, as it refers to nothing. */
export interface PrintNames {
  readonly credentials: ReadonlyMap<number, string>;
  /** Slugs. */
  readonly workflows: ReadonlyMap<number, string>;
}

interface PrintParams {
  readonly workflow: Workflow;
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  readonly names: PrintNames;
}

/** The canonical text of a workflow: it has exactly one, and parsing it produces the same workflow. */
export function printDsl({ workflow, graph, catalogue, names }: PrintParams): string {
  const nodes = graph.nodes.map((node) => nodeDocument(node, new NodeKeys(catalogue.get(node.componentType)), names));
  return [
    ...headerEntries(workflow, names).map(([key, value]) => printEntry(key, value, 0)),
    printNodes(nodes),
    printList('edges', graph.edges.map(edgeDocument)),
    printLayout(graph.nodes),
  ].join('');
}

function headerEntries(workflow: Workflow, { workflows }: PrintNames): readonly (readonly [string, Json])[] {
  const handler = workflow.errorHandlerWorkflowId;
  const entries: readonly (readonly [string, Json, Json?])[] = [
    ['name', workflow.name],
    ['slug', workflow.slug],
    ['description', workflow.description, headerDefaults.description],
    ['is_active', workflow.isActive, headerDefaults.isActive],
    ['is_public', workflow.isPublic, headerDefaults.isPublic],
    ['is_default', workflow.isDefault, headerDefaults.isDefault],
    ['mcp', workflow.mcp, headerDefaults.mcp],
    ['tags', workflow.tags, headerDefaults.tags],
    ['error_handler', (handler === null ? undefined : workflows.get(handler)) ?? null, headerDefaults.errorHandler],
    ['input_schema', workflow.inputSchema, headerDefaults.inputSchema],
    ['output_schema', workflow.outputSchema, headerDefaults.outputSchema],
    ['max_execution_seconds', workflow.maxExecutionSeconds, headerDefaults.maxExecutionSeconds],
    ['concurrency', workflow.concurrency, headerDefaults.concurrency],
    ['concurrency_key', workflow.concurrencyKey, headerDefaults.concurrencyKey],
    ['budget', budgetDocument(workflow.budget), headerDefaults.budget],
    ['priority', workflow.priority, headerDefaults.priority],
  ];
  return entries.flatMap(([key, value, usual]) => (value === usual ? [] : [[key, value]]));
}

/** Without the limits that it does not have. */
function budgetDocument(budget: Budget | null): JsonObject | null {
  if (budget === null) return null;
  const { tokens, usd, period } = budget;
  return { ...(tokens !== null && { tokens }), ...(usd !== null && { usd }), period };
}

/** A node is never printed on one line, because its keys are what people read and change. */
function printNodes(nodes: readonly JsonObject[]): string {
  if (nodes.length === 0) return '';
  const printed = nodes.map((node) => {
    const lines = Object.entries(node).map(([key, value]) => printEntry(key, value, 4));
    return `  - ${lines.join('').slice(4)}`;
  });
  return `nodes:\n${printed.join('')}`;
}

function printList(key: string, items: readonly Json[]): string {
  return items.length === 0 ? '' : `${key}:\n${items.map((item) => printItem(item, 2)).join('')}`;
}

/** One line per node, so that moving a node changes one line. */
function printLayout(nodes: readonly Node[]): string {
  if (nodes.length === 0) return '';
  const lines = nodes.map(({ nodeId, positionX, positionY }) => printEntry(nodeId, [positionX, positionY], 2));
  return `layout:\n${lines.join('')}`;
}

function edgeDocument(edge: Edge): Json {
  const text = printEdgeText(edge);
  if (text !== null) return text;
  return {
    source_node_id: edge.sourceNodeId,
    target_node_id: edge.targetNodeId,
    ...(edge.edgeType !== 'direct' && { edge_type: edge.edgeType }),
    ...(edge.edgeLabel !== '' && { edge_label: edge.edgeLabel }),
    ...(edge.conditionMapping !== null && { condition_mapping: edge.conditionMapping }),
    ...(edge.conditionValue !== '' && { condition_value: edge.conditionValue }),
    ...(edge.priority !== 0 && { priority: edge.priority }),
  };
}

function nodeDocument(node: Node, keys: NodeKeys, names: PrintNames): JsonObject {
  const subworkflow = node.subworkflowId === null ? undefined : names.workflows.get(node.subworkflowId);
  return {
    id: node.nodeId,
    type: node.componentType,
    ...(node.label !== null && { label: node.label }),
    ...(node.isEntryPoint && { is_entry_point: true }),
    ...(node.interruptBefore && { interrupt_before: true }),
    ...(node.interruptAfter && { interrupt_after: true }),
    ...(subworkflow !== undefined && { subworkflow }),
    ...(node.codeBlockId !== null && { code_block_id: node.codeBlockId }),
    ...configDocument(node.config, keys, names),
  };
}

/** A config, key by key at the level of `id` and `type`; keys without a name there go into a block. */
function configDocument(config: JsonObject, keys: NodeKeys, names: PrintNames): JsonObject {
  const beside: Record<string, Json> = {};
  const common: Record<string, Json> = {};
  for (const key of commonKeys) {
    const value = commonValue(config, key, names);
    const word = keys.wordFor(key);
    if (value !== undefined) setOwn(word === null ? common : beside, word ?? key, value);
  }
  const extra: Record<string, Json> = {};
  const policies: Record<string, Json> = {};
  const extraConfig = isObject(config.extra_config) ? config.extra_config : {};
  for (const key of inOrder(extraConfig, keys.own)) {
    const isBeside = keys.meaningOf(key).kind === 'own';
    setOwn(keys.isPolicy(key) ? policies : isBeside ? beside : extra, key, extraConfig[key] ?? null);
  }
  return { ...beside, ...blocks({ config: common, extra_config: extra, policies }) };
}

/** Undefined for a default value. */
function commonValue(config: JsonObject, key: string, names: PrintNames): Json | undefined {
  const value = own(config, key);
  if (key === 'credential_id' || key === 'llm_credential_id') {
    return typeof value === 'number' ? names.credentials.get(value) : undefined;
  }
  return value === undefined || isSameJson(value, defaults[key] ?? null) ? undefined : value;
}

const defaults = nodeConfig.parse({}) as JsonObject;

/** Known keys in the order of the schema, then the others by name. */
function inOrder(object: JsonObject, known: readonly string[]): readonly string[] {
  const own = known.filter((key) => Object.hasOwn(object, key));
  return [
    ...own,
    ...Object.keys(object)
      .filter((key) => !known.includes(key))
      .sort(),
  ];
}

function blocks(parts: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));
}
