import { catalogue, scheduleTimetable } from '@millrace/components';
import {
  checkDsl,
  type DslCheck,
  differenceTo,
  type Edge,
  emptyGraph,
  type Graph,
  type GraphIssue,
  type GraphOperation,
  type GraphWorld,
  isError,
  isSameEdge,
  isSameNode,
  type Node,
  noWorld,
  Problem,
  planEdgeUpdate,
  planNewEdge,
  planNewNode,
  planOperations,
  printDsl,
  readDsl,
  validateGraph,
  type Workflow,
} from '@millrace/core';
import { settingIssues } from '../../src/services/validation/graph-world.ts';
import { editRules } from '../../src/services/workflows/edit-rules.ts';
import { blankEdge } from '../support/blank-graph.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import { type DrawnGraph, without } from './drawn-graphs.ts';
import { expectedFor } from './edge-model.ts';

/** What every check of these graphs knows: two variables, and no credentials or other workflows. */
const world: GraphWorld = {
  ...noWorld,
  ...settingIssues(scheduleTimetable),
  variables: [
    { name: 'hidden', isSecret: true },
    { name: 'known', isSecret: false },
  ],
};

export function issuesOf(graph: Graph): readonly GraphIssue[] {
  return validateGraph(graph, catalogue, world);
}

function checkText(text: string): DslCheck {
  const names = { credentials: new Map<string, number>(), workflows: new Map<string, number>() };
  return checkDsl(readDsl(text, catalogue), { catalogue, ...names, checkSchema: () => null, graphWorld: world });
}

export function textOf(graph: Graph): string {
  const names = { credentials: new Map<number, string>(), workflows: new Map<number, string>() };
  return printDsl({ workflow, graph, catalogue, names });
}

const workflow: Workflow = {
  ...blankWorkflow,
  id: 1,
  ownerId: 1,
  name: 'Drawn',
  slug: 'drawn',
  nodeCount: 0,
  edgeCount: 0,
  version: 1,
  publishedVersion: null,
  createdAt: 0,
  updatedAt: 0,
};

/** The message with which a plan is rejected; null if it is made. */
function rejection(plan: () => unknown): string | null {
  try {
    plan();
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { detail } = error;
    if (typeof detail === 'string') return detail;
    return 'validation_errors' in detail
      ? detail.validation_errors.join('; ')
      : detail.map(({ msg }) => msg).join('; ');
  }
}

/** The message with which an edge is rejected in a graph without it; null if it is accepted. */
export function rejectionOf({ id: _id, ...edge }: Edge, graph: Graph): string | null {
  return rejection(() => planNewEdge(editRules(catalogue), graph, { edge }));
}

/** What the places that take one edge answer: `POST` and `PATCH` of edges, and both operations of `graph/`. */
function answersTo(edge: Edge, graph: Graph): Readonly<Record<string, string | null>> {
  const { id, ...fields } = edge;
  const before = { ...without(graph, edge), version: 1 };
  // An edge between nodes that do not exist yet may become any other one.
  const neutral = { ...blankEdge('nowhere', 'elsewhere'), id };
  const neutralized = { ...before, edges: graph.edges.map((other) => (other === edge ? neutral : other)) };
  const run = (at: typeof before, operation: GraphOperation) =>
    rejection(() => planOperations(editRules(catalogue), at, [operation]));
  return {
    POST: rejectionOf(edge, before),
    PATCH: rejection(() => planEdgeUpdate(editRules(catalogue), neutralized, { id, changes: fields })),
    create_edge: run(before, { op: 'create_edge', edge: fields }),
    update_edge: run(neutralized, { op: 'update_edge', edgeId: id, changes: fields }),
  };
}

const edgeCodes: readonly string[] = ['edge_rule', 'edge_types'];

/** Where the answers about the edges of a graph differ from each other, or from the interface. */
export function edgeDisagreements(graph: DrawnGraph): readonly string[] {
  const issues = issuesOf(graph);
  return graph.edges.flatMap((edge) => {
    const answers = answersTo(edge, graph);
    const found = issues.filter(({ edgeId, code }) => edgeId === edge.id && edgeCodes.includes(code));
    const all = Object.entries({ ...answers, 'validate/': found.map(({ message }) => message).join('; ') || null });
    const name = `${edge.sourceNodeId} -${edge.edgeLabel}-> ${edge.targetNodeId}`;
    const expected = expectedFor(edge, graph, catalogue);
    const actual = found[0] === undefined ? 'allowed' : found[0].code === 'edge_rule' ? 'rule' : 'types';
    return [
      ...(new Set(all.map(([, answer]) => answer)).size > 1 ? [`${name}: ${JSON.stringify(all)}`] : []),
      ...(actual === expected ? [] : [`${name}: ${actual}, but the interface says ${expected}`]),
    ];
  });
}

/** Whether a node with this config can be made. */
export function isStorable(node: Node): boolean {
  const { id: _id, updatedAt: _at, ...fields } = node;
  return rejection(() => planNewNode(editRules(catalogue), { ...emptyGraph }, { node: fields })) === null;
}

/** Where `validate/`, `validate-dsl/` and import differ about a whole graph. */
export function textDisagreements(graph: DrawnGraph): readonly string[] {
  const [issues, check] = [issuesOf(graph), checkText(textOf(graph))];
  const [ofGraph, ofText] = [lines(issues), lines(check.issues)];
  const isImportable =
    graph.nodes.every(isStorable) && graph.edges.every((edge) => expectedFor(edge, graph, catalogue) !== 'rule');
  const imported = check.workflow?.graph;
  return [
    ...ofGraph.filter((line) => !ofText.includes(line)).map((line) => `only validate/ finds: ${line}`),
    ...ofText.filter((line) => !ofGraph.includes(line)).map((line) => `only validate-dsl/ finds: ${line}`),
    ...(check.isValid === !issues.some(isError) ? [] : ['validate/ and validate-dsl/ disagree about `valid`']),
    ...((imported !== undefined) === isImportable ? [] : [`the text is ${imported ? '' : 'not '}imported`]),
    ...(check.workflow === null || isSame(differenceTo(emptyGraph, check.workflow), graph)
      ? []
      : ['the import differs']),
  ];
}

function lines(issues: readonly GraphIssue[]): readonly string[] {
  return issues.map(({ code, severity, message, hint, nodeId, field }) =>
    [code, severity, nodeId, field, message, hint].join(' | '),
  );
}

function isSame({ newNodes, newEdges }: ReturnType<typeof differenceTo>, { nodes, edges }: DrawnGraph): boolean {
  return (
    newNodes.length === nodes.length &&
    newEdges.length === edges.length &&
    newNodes.every((node, at) => {
      const other = nodes[at];
      // Positions that nobody gave are laid out by the import, and models are linked by their edges.
      return other !== undefined && isSameNode({ ...node, config: unlinked(node.config) }, other);
    }) &&
    newEdges.every((edge, at) => edges[at] !== undefined && isSameEdge(edge, edges[at]))
  );
}

function unlinked(config: Node['config']): Node['config'] {
  return { ...config, llm_model_config_id: null };
}

/** The edges that can be made one after the other, as an editor makes them. */
export function storedPart({ nodes, edges }: DrawnGraph): DrawnGraph {
  const storable = nodes.filter(isStorable);
  const kept: Edge[] = [];
  for (const edge of edges) if (rejectionOf(edge, { nodes: storable, edges: kept }) === null) kept.push(edge);
  return { nodes: storable, edges: kept };
}
