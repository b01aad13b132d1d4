import { suggestion } from '../base/nearest.ts';
import type { Catalogue } from '../component/component.ts';
import { keyIssue } from '../graph/concurrency-key.ts';
import { identityOf } from '../graph/duplicate-edges.ts';
import type { Graph } from '../graph/graph.ts';
import { maxEdges, maxNodes } from '../graph/graph-limits.ts';
import type { Json } from '../json.ts';
import { type GraphIssue, isError, isRejection, issuesToList, moreIssues } from '../validation/graph-issue.ts';
import type { GraphWorld } from '../validation/graph-world.ts';
import { validateGraph } from '../validation/validate.ts';
import { type DslNames, graphOf, mentionsOf } from './compile.ts';
import type { Draft, DraftNode, Header, PlacedEdge } from './draft.ts';
import type { DslIssue } from './dsl-issue.ts';
import type { DslReading } from './read.ts';
import type { Reader } from './reader.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

interface DslWorld extends DslNames {
  readonly catalogue: Catalogue;
  /** Returns the reason why a value cannot be used as a JSON Schema; null if it can. */
  readonly checkSchema: (schema: Json) => string | null;
  /** Default: a check that uses only the text. */
  readonly graphWorld?: GraphWorld;
}

/** The result of checking a text. */
export interface DslCheck {
  /** In the order of the text; if there are very many, the most severe ones and one that says that there are more. */
  readonly issues: readonly DslIssue[];
  /** Whether no issue is an error. */
  readonly isValid: boolean;
  /** The workflow, if it can be stored: it may still have errors that prevent it from running. */
  readonly workflow: DslWorkflow | null;
  readonly nodeCount: number;
  readonly edgeCount: number;
}

/** The workflow that a text describes. */
export interface DslWorkflow {
  readonly header: Header;
  /** Whether the text contains the slug; else it is derived from the name. */
  readonly isSlugGiven: boolean;
  /** The id of the workflow that handles errors. */
  readonly errorHandlerId: number | null;
  /** Its ids count from 1 and are independent of the ids in a store. */
  readonly graph: Graph;
  /** The nodes whose position is in the text. */
  readonly placed: ReadonlySet<string>;
}

/** Checks a whole text: everything that `validateGraph` finds, and the errors that only a text can have. */
export function checkDsl({ parts, issues }: DslReading, world: DslWorld): DslCheck {
  if (parts === null) return { issues, isValid: false, workflow: null, nodeCount: 0, edgeCount: 0 };
  const { reader } = parts;
  const draft = { ...parts.draft, nodes: uniqueNodes(parts.draft, reader), edges: uniqueEdges(parts.draft, reader) };
  const { header, layout } = draft;
  checkHeader(header, reader, world);
  checkMentions(draft, reader, world);
  const graph = graphOf(draft, world);
  reportAll(validateGraph(graph, world.catalogue, world.graphWorld), draft, reader);
  const found = reader.issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const errorHandlerId = (header.errorHandler === null ? null : world.workflows.get(header.errorHandler)) ?? null;
  return {
    issues: limited(found),
    isValid: !found.some(isError),
    workflow: found.some(isRejection)
      ? null
      : {
          header,
          isSlugGiven: reader.nodeAt(['slug']) !== undefined,
          errorHandlerId,
          graph,
          placed: new Set(layout.keys()),
        },
    nodeCount: graph.nodes.length,
    edgeCount: graph.edges.length,
  };
}

/** The issues to list; the one that says that there are more is at the position of the last one. */
function limited(found: readonly DslIssue[]): readonly DslIssue[] {
  const listed = issuesToList(found);
  const last = listed.at(-1);
  if (last === undefined || listed.length === found.length) return found;
  return [...listed, { ...moreIssues, line: last.line, column: last.column }];
}

function uniqueNodes({ nodes }: Draft, reader: Reader): readonly DraftNode[] {
  const seen = new Set<string>();
  if (nodes.length > maxNodes) {
    reader.report({ code: 'too_large', message: `A workflow may have at most ${maxNodes} nodes.` }, ['nodes']);
  }
  return nodes.slice(0, maxNodes).filter(({ nodeId, path }) => {
    if (!seen.has(nodeId)) return seen.add(nodeId);
    const message = `Another node also has the id '${nodeId}'.`;
    reader.report({ code: 'duplicate', nodeId, message }, [...path, 'id']);
    return false;
  });
}

function uniqueEdges({ edges }: Draft, reader: Reader): readonly PlacedEdge[] {
  const seen = new Set<string>();
  if (edges.length > maxEdges) {
    reader.report({ code: 'too_large', message: `A workflow may have at most ${maxEdges} edges.` }, ['edges']);
  }
  return edges.slice(0, maxEdges).filter(({ edge, path }) => {
    const { sourceNodeId, targetNodeId } = edge;
    const key = identityOf(edge);
    if (!seen.has(key)) return seen.add(key);
    reader.report({ code: 'duplicate', message: `The edge ${sourceNodeId} -> ${targetNodeId} occurs twice.` }, path);
    return false;
  });
}

function checkHeader(header: Header, reader: Reader, { checkSchema }: DslWorld): void {
  const { inputSchema, outputSchema, concurrencyKey } = header;
  const issue = concurrencyKey === null ? null : keyIssue(concurrencyKey);
  if (issue !== null) reader.report({ code: 'field', message: `concurrency_key: ${issue}` }, ['concurrency_key']);
  for (const [key, schema] of Object.entries({ input_schema: inputSchema, output_schema: outputSchema })) {
    const reason = schema === null ? null : checkSchema(schema);
    if (reason !== null) reader.report({ code: 'field', message: `${key}: ${reason}` }, [key]);
  }
}

function checkMentions(draft: Draft, reader: Reader, { credentials, workflows }: DslWorld): void {
  const mentions = mentionsOf(draft);
  for (const { name, path } of mentions.credentials) {
    const id = credentials.get(name);
    if (typeof id === 'number') continue;
    const message =
      id === null
        ? `Several credentials are named '${name}': give them different names.`
        : `There is no credential named '${name}'.${suggestion(name, credentials.keys())}`;
    reader.report({ code: 'unknown_credential', message }, path);
  }
  for (const { name, path } of mentions.workflows) {
    if (workflows.has(name)) continue;
    reader.report({ code: 'unknown_workflow', message: `There is no workflow '${name}' that you can see.` }, path);
  }
}

/** Reports the issues of the graph, each at its position in the text. */
function reportAll(issues: readonly GraphIssue[], { nodes, edges }: Draft, reader: Reader): void {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  for (const { edgeId, path, isKey, ...rest } of issues) {
    const edge = edgeId === undefined ? undefined : edges[edgeId - 1];
    const node = byId.get(rest.nodeId ?? '');
    if (edge !== undefined) reader.report(rest, edge.path);
    else if (node === undefined) reader.report(rest, []);
    else if (path === undefined) reader.report(rest, [...node.path, rest.code === 'unknown_component' ? 'type' : 'id']);
    else if (isKey === true) reader.reportKey(rest, placeInText(node, path));
    else reader.report(rest, placeInText(node, path));
  }
}

/** The path in the text for a path in a node's config. */
function placeInText(node: DraftNode, path: YamlPath): YamlPath {
  const [first = '', second, ...rest] = path;
  if (first !== 'extra_config') {
    const origin = node.origins.get(String(first));
    return origin === undefined ? node.path : [...origin, ...path.slice(1)];
  }
  const origin = node.origins.get(`extra_config.${second}`);
  return origin === undefined ? [...node.path, 'id'] : [...origin, ...rest];
}
