import {
  appliedChanges,
  type Catalogue,
  checkDsl,
  type DslCheck,
  type DslIssue,
  type DslNames,
  type DslReading,
  type DslWorkflow,
  differenceTo,
  draftConfig,
  firstNewId,
  type Graph,
  isError,
  isRejection,
  isSameJson,
  type Json,
  mentionsOf,
  Problem,
  planned,
  printDsl,
  readDsl,
  syncModelLinks,
  textTooLarge,
  type User,
  type Workflow,
} from '@millrace/core';
import { slices } from '../../ground/slices.ts';
import type { GraphChange, VersionedGraph } from '../../store/graphs.ts';
import type { Rewrite, WorkflowFields } from '../../store/workflows.ts';
import { type AccessStore, loadWorkflow, loadWritableWorkflow, mayWrite, standingOf } from '../access/access.ts';
import { type CheckedGraph, credentialsIn, graphWorld, type WorldPorts } from '../validation/graph-world.ts';
import { warmFor } from '../validation/warm-up.ts';
import type { GraphViews } from '../workflows/graph-views.ts';
import { editOf } from '../workflows/graphs.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { credentialIds, credentialLabels } from './credential-labels.ts';

/** Workflows as YAML texts. */
export interface Dsl {
  /** Checks a text without storing anything. */
  check(user: User, text: string): Promise<DslCheck>;
  /**
   * Creates the workflow of a text, or changes the workflow that has its slug to match the text. An unfinished workflow
   * is stored, but not published.
   * @throws Problem `invalid` with the errors that prevent storing or publishing it; `conflict` if the slug is taken
   * and the text does not give it explicitly, or as for an edit
   */
  import(user: User, source: DslSource): Promise<Imported>;
  /** As far as the user may see the workflow. */
  export(user: User, workflow: Workflow): Promise<string>;
  /** What a text would make of a workflow, whose slug it keeps. Stores nothing. */
  read(user: User, workflow: Workflow, text: string): Promise<TextReading>;
}

/** What a text would make of a workflow. */
export interface TextReading {
  readonly check: DslCheck;
  /** Null if the text has errors that prevent storing it. */
  readonly result: ReadWorkflow | null;
}

interface ReadWorkflow {
  readonly workflow: Workflow;
  /** Its ids are those of the text. */
  readonly graph: Graph;
  /** The nodes whose position is in the text. */
  readonly placed: ReadonlySet<string>;
  /** The text that an export would return after the changes. */
  readonly canonical: string;
}

/** A text to store. */
export interface DslSource {
  readonly text: string;
  /** Replaces the slug in the text. */
  readonly slug: string | undefined;
  /** Whether to publish the new version. */
  readonly publish: boolean;
  /** Rejects a text whose workflow exists. */
  readonly mustBeNew?: boolean;
  /** Replaces the value in the text. */
  readonly isActive?: boolean | undefined;
}

/** The result of an import. */
export interface Imported {
  readonly workflow: Workflow;
  readonly isNew: boolean;
  readonly issues: readonly DslIssue[];
}

interface DslPorts extends WorldPorts {
  readonly catalogue: Catalogue;
  readonly graphViews: GraphViews;
  readonly workflows: Pick<Workflows, 'create' | 'check'>;
  /** Returns why a value cannot be used as a JSON Schema; null if it can. */
  readonly checkSchema: (schema: Json) => string | null;
}

export function createDsl(ports: DslPorts): Dsl {
  return {
    check: (user, text) => checkText(ports, user, { text, slug: undefined }),
    async import(user, { text, slug, publish, mustBeNew = false, isActive }) {
      const { workflow, issues, isValid } = await checkText(ports, user, { text, slug });
      if (workflow === null) throw rejection(issues.filter(isRejection));
      if (publish && !isValid) throw rejection(issues.filter(isError));
      const named = slug === undefined ? workflow : withSlug(workflow, slug);
      const wanted = isActive === undefined ? named : { ...named, header: { ...named.header, isActive } };
      return { ...(await store(ports, user, { wanted, publish, mustBeNew })), issues };
    },
    async export(user, workflow) {
      const text = await print(ports, user, workflow, await ports.graphViews.current(user, workflow));
      const reason = textTooLarge(text);
      if (reason === null) return text;
      throw new Problem('conflict', `The workflow is too large for a text that can be imported. ${reason}`);
    },
    async read(user, workflow, text) {
      const check = await checkText(ports, user, { text, slug: workflow.slug });
      const { workflow: wanted } = check;
      return { check, result: wanted === null ? null : await resultOf(ports, user, workflow, wanted) };
    },
  };
}

/** Nodes whose text takes some milliseconds. */
const largeGraph = 100;

async function print(ports: DslPorts, user: User, workflow: Workflow, graph: Graph): Promise<string> {
  const credentials = await credentialLabels(ports.store, credentialsIn(graph.nodes));
  const names = { credentials, workflows: await slugsIn(ports, user, workflow, graph) };
  // To print is not divided.
  if (graph.nodes.length > largeGraph) await slices.turn();
  return printDsl({ workflow, graph, catalogue: ports.catalogue, names });
}

/** The workflow after the changes of a text; references that its writer may not see stay. */
async function resultOf(ports: DslPorts, user: User, stored: Workflow, wanted: DslWorkflow): Promise<ReadWorkflow> {
  const before = await ports.graphs.current(stored);
  const known = await slugsIn(ports, user, stored, before);
  const { graph, placed } = withStoredPlaces(withUnseenCalls(wanted, before, known), before);
  const fields = withUnseenHandler(fieldsOf(wanted, stored.isActive), stored, known);
  const workflow = { ...stored, ...fields, slug: stored.slug };
  return { workflow, graph, placed, canonical: await print(ports, user, workflow, graph) };
}

async function checkText(
  ports: DslPorts,
  user: User,
  { text, slug }: Pick<DslSource, 'text' | 'slug'>,
): Promise<DslCheck> {
  await warmFor({ characters: text.length }, ports.catalogue);
  const reading = readDsl(text, ports.catalogue);
  const names = await namesIn(reading, ports, user);
  if (reading.parts === null) return checkDsl(reading, { ...ports, ...names });
  const { header, nodes: drafts } = reading.parts.draft;
  const nodes = drafts.map((node) => ({ componentType: node.componentType, config: draftConfig(node, names) }));
  const workflow = await workflowOf(ports.store, user, { ...header, slug: slug ?? header.slug });
  return checkDsl(reading, { ...ports, ...names, graphWorld: await graphWorld(ports, { workflow, nodes, user }) });
}

/** The workflow that an import would change or create. A later check rejects a user who may not change it. */
async function workflowOf(
  store: AccessStore,
  user: User,
  { slug, isPublic, mcp }: Pick<Workflow, 'slug' | 'isPublic' | 'mcp'>,
): Promise<CheckedGraph['workflow']> {
  const stored = await store.workflows.bySlug(slug);
  const standing = stored === null ? null : await standingOf(store, user, stored);
  return stored !== null && mayWrite(standing)
    ? { ...stored, isPublic, mcp }
    : { id: null, slug, ownerId: user.id, isPublic, mcp };
}

/** The ids for the names in a text, as far as the user may see them. */
async function namesIn({ parts }: DslReading, ports: DslPorts, user: User): Promise<DslNames> {
  const mentions = parts === null ? { credentials: [], workflows: [] } : mentionsOf(parts.draft);
  const slugs = mentions.workflows.map(({ name }) => name);
  const found = await Promise.all(
    [...new Set(slugs)].map((slug) => visible(() => loadWorkflow(ports.store, user, slug))),
  );
  return {
    credentials: await credentialIds(
      ports.store,
      mentions.credentials.map(({ name }) => name),
    ),
    workflows: new Map(found.filter((workflow) => workflow !== null).map(({ slug, id }) => [slug, id])),
  };
}

/** The slugs of the workflows that a workflow refers to, as far as the user may see them: the text omits others. */
async function slugsIn(
  { store }: DslPorts,
  user: User,
  workflow: Workflow,
  graph: Graph,
): Promise<Map<number, string>> {
  const named = [workflow.errorHandlerWorkflowId, ...graph.nodes.map(({ subworkflowId }) => subworkflowId)];
  const ids = [...new Set(named)].filter((id) => id !== null);
  const found = await Promise.all(ids.map((id) => store.workflows.byId(id)));
  const seen = await Promise.all(found.map((other) => other && visible(() => loadWorkflow(store, user, other.slug))));
  return new Map(seen.filter((other) => other !== null).map(({ id, slug }) => [id, slug]));
}

async function visible(load: () => Promise<Workflow>): Promise<Workflow | null> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return null;
    throw error;
  }
}

/** The errors that prevent storing or publishing a text, each with its position at the end of `loc`. */
function rejection(issues: readonly DslIssue[]): Problem {
  return new Problem(
    'invalid',
    issues.map(({ code, message, line, column }) => ({
      type: code,
      loc: ['body', 'yaml_str', line, column],
      msg: message,
    })),
  );
}

function withSlug(workflow: DslWorkflow, slug: string): DslWorkflow {
  return { ...workflow, header: { ...workflow.header, slug }, isSlugGiven: true };
}

async function store(
  ports: DslPorts,
  user: User,
  {
    wanted,
    publish,
    mustBeNew,
  }: { readonly wanted: DslWorkflow; readonly publish: boolean; readonly mustBeNew: boolean },
): Promise<Omit<Imported, 'issues'>> {
  const { slug } = wanted.header;
  const own = await visible(() => loadWritableWorkflow(ports.store, user, slug));
  // A workflow that the caller may not see also takes its slug: then creating another one fails with that error.
  const { workflows } = ports;
  if (own === null) {
    const first = { changes: changesTo(emptyGraph, wanted), isPublished: publish };
    const workflow = await workflows.create(user, fieldsOf(wanted, true), first);
    return { workflow, isNew: true };
  }
  if (mustBeNew) throw new Problem('conflict', `Workflow with slug '${slug}' already exists.`);
  if (!wanted.isSlugGiven)
    throw new Problem('conflict', `Workflow '${slug}' already exists: to change it, give its 'slug' explicitly.`);
  const before = await ports.graphs.current(own);
  const known = await slugsIn(ports, user, own, before);
  const fields = changedFields(own, withUnseenHandler(fieldsOf(wanted, own.isActive), own, known));
  if (fields !== undefined) await workflows.check(user, own, fields);
  const change = (graph: VersionedGraph) => changesTo(graph, withUnseenCalls(wanted, graph, known));
  const together = { ...(fields && { fields }), ...(publish && { publish: { note: null } }) };
  await ports.graphs.edit(own, change, { ...editOf(user), ...together });
  const stored = await ports.store.workflows.byId(own.id);
  return { workflow: stored ?? own, isNew: false };
}

/** The workflow fields of the text. `isActive` is unchanged if the text does not contain it. */
function fieldsOf(
  { header: { errorHandler: _slug, ...header }, errorHandlerId }: DslWorkflow,
  isActive: boolean,
): WorkflowFields {
  return { ...header, isActive: header.isActive ?? isActive, errorHandlerWorkflowId: errorHandlerId };
}

/** The slugs of the workflows that the user may see, by their ids. */
type Known = ReadonlyMap<number, string>;

/** A text cannot name a workflow that its writer may not see, so a missing name must not remove the reference. */
function unseen(wanted: number | null, stored: number | null, known: Known): number | null {
  return wanted === null && stored !== null && !known.has(stored) ? stored : wanted;
}

function withUnseenHandler(fields: WorkflowFields, own: Workflow, known: Known): WorkflowFields {
  const { errorHandlerWorkflowId: wanted } = fields;
  return { ...fields, errorHandlerWorkflowId: unseen(wanted, own.errorHandlerWorkflowId, known) };
}

function withUnseenCalls(wanted: DslWorkflow, { nodes: stored }: Graph, known: Known): DslWorkflow {
  const calls = new Map(stored.map(({ nodeId, subworkflowId }) => [nodeId, subworkflowId]));
  const nodes = wanted.graph.nodes.map((node) => ({
    ...node,
    subworkflowId: unseen(node.subworkflowId, calls.get(node.nodeId) ?? null, known),
  }));
  return { ...wanted, graph: { ...wanted.graph, nodes } };
}

/** A node whose position is not in the text stays where it is. */
function withStoredPlaces(wanted: DslWorkflow, { nodes: stored }: Graph): DslWorkflow {
  const known = new Map(stored.map((node) => [node.nodeId, node]));
  const nodes = wanted.graph.nodes.map((node) => {
    const own = known.get(node.nodeId);
    const isMoved = wanted.placed.has(node.nodeId) || own?.componentType !== node.componentType;
    return isMoved ? node : { ...node, positionX: own.positionX, positionY: own.positionY };
  });
  return { ...wanted, graph: { ...wanted.graph, nodes } };
}

/** Only the fields that differ, if any: importing an unchanged text stores nothing and publishes no event. */
function changedFields(own: Workflow, { slug: _same, ...fields }: WorkflowFields): Rewrite['fields'] | undefined {
  const before = new Map<string, Json | undefined>(Object.entries(own));
  const changes = Object.entries(fields).filter(([name, value]) => !isSameJson(value, before.get(name) ?? null));
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** The graph of a new workflow. */
const emptyGraph: VersionedGraph = { version: 1, nodes: [], edges: [] };

/** All changes in one save. New objects have temporary ids, by which nodes refer to a new model. */
function changesTo(graph: VersionedGraph, wanted: DslWorkflow): readonly GraphChange[] {
  const changes = differenceIn(graph, wanted).map(
    (change, index): GraphChange =>
      change.kind === 'create_node' || change.kind === 'create_edge' ? { ...change, id: firstNewId + index } : change,
  );
  const after = appliedChanges(graph, changes, { version: graph.version, saved: changes.map(planned) });
  return [...changes, ...syncModelLinks(after, after.edges, () => after.edges)];
}

/** Deletions come first, so that new objects find their names free. */
function differenceIn(graph: Graph, wanted: DslWorkflow): readonly GraphChange[] {
  const { deletedEdges, deletedNodes, changedNodes, newNodes, changedEdges, newEdges } = differenceTo(graph, wanted);
  return [
    ...deletedEdges.map(({ id }): GraphChange => ({ kind: 'delete_edge', id })),
    ...deletedNodes.map(({ id, nodeId }): GraphChange => ({ kind: 'delete_node', id, nodeId })),
    ...changedNodes.map((node): GraphChange => ({ kind: 'update_node', id: node.id, node })),
    ...newNodes.map((node): GraphChange => ({ kind: 'create_node', node })),
    ...changedEdges.map((edge): GraphChange => ({ kind: 'update_edge', id: edge.id, edge })),
    ...newEdges.map((edge): GraphChange => ({ kind: 'create_edge', edge })),
  ];
}
