import { catalogue } from '@millrace/components';
import { executionDetail, executionList, presentEdge, validation } from '@millrace/contract';
import type { Edge, GraphIssue, Node } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blankNode } from '../support/blank-graph.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { isStorable, issuesOf, rejectionOf, storedPart } from './answers.ts';
import { connectedGraphs } from './connected-graphs.ts';
import { type DrawnGraph, drawnGraphs } from './drawn-graphs.ts';
import { spoiledGraphs } from './spoiled-graphs.ts';

/** As many graphs as take about as long as all those that are checked without a service. */
const share = 0.2;

/** A part of the graphs that are checked without a service: `npm run test:agreement` checks many more. */
const numRuns = Math.ceil(Number(process.env.AGREEMENT_GRAPHS ?? 2000) * share);

const root = '/api/v1/workflows/';

/** Graphs that could be stored node by node. */
const graphs = fc
  .oneof(drawnGraphs, connectedGraphs(true), connectedGraphs(false), spoiledGraphs)
  .map((graph) => ({ ...graph, nodes: storedPart(graph).nodes }))
  .filter(({ nodes }) => nodes.length > 0);

/** The sandbox has tests of its own: here every script gives nothing. */
const sandbox = { run: async () => ({ value: null, lines: [] }), close: () => undefined };

function nodeBody({ nodeId, componentType, config }: Node): object {
  const { llm_model_config_id: _link, ...given } = config;
  return { node_id: nodeId, component_type: componentType, config: given };
}

/** An edge without its id, as a request creates it. */
function edgeBody(edge: Edge): object {
  const { id: _id, ...body } = presentEdge(edge);
  return body;
}

/** The issues without what differs between places: ids of edges, positions in a text. */
function facts(issues: readonly object[]): readonly string[] {
  return issues
    .map((issue) => {
      const { code, severity, node_id, field, message, hint } = issue as Record<string, unknown>;
      return JSON.stringify([code, severity, node_id, field, message, hint]);
    })
    .sort();
}

function factsOf(issues: readonly GraphIssue[]): readonly string[] {
  return facts(issues.map(({ nodeId, ...issue }) => ({ ...issue, node_id: nodeId })));
}

/** One service with the workflow and the variables that the graphs name. */
class Service {
  readonly #running: Running;
  readonly #member: Person;
  #made = 0;

  private constructor(running: Running, member: Person) {
    this.#running = running;
    this.#member = member;
  }

  static async start(): Promise<Service> {
    const running = await startRunning({ catalogue, sandbox });
    const member = await running.addPerson('member', 'full', true);
    const called = 'name: Other\nslug: other\nnodes: [{id: start, type: trigger_workflow}]\n';
    expect((await member.post(`${root}import/`, { yaml_str: called })).status).toBe(201);
    expect((await member.post('/api/v1/variables/', { name: 'known', value: 1 })).status).toBe(201);
    const hidden = { name: 'hidden', value: 'secret', is_secret: true, allowed_hosts: ['example.org'] };
    expect((await member.post('/api/v1/variables/', hidden)).status).toBe(201);
    return new Service(running, member);
  }

  /** Stores the graph as an editor does, with every edge that the service accepts; the accepted part. */
  async #store(path: string, { nodes, edges }: DrawnGraph): Promise<DrawnGraph> {
    for (const [index, node] of nodes.entries()) {
      const blank = { ...node, ...blankNode(node.nodeId, node.componentType) };
      await this.#storeNode(path, node, { byPatch: index % 2 === 0 && isStorable(blank) });
    }
    const kept: Edge[] = [];
    for (const [index, edge] of edges.entries()) {
      const reason = rejectionOf(edge, { nodes, edges: kept });
      if (reason === null) kept.push(edge);
      // Every other edge that is accepted, and all that are not.
      if (reason !== null || index % 2 === 0) await this.#moveEdge(path, edge, reason);
      if (reason !== null || index % 2 === 1) await this.#postEdge(path, edge, reason);
    }
    return { nodes, edges: kept };
  }

  /** Creates a node with its config, or without it and then adds the config to what it has. */
  async #storeNode(path: string, node: Node, { byPatch }: { readonly byPatch: boolean }): Promise<void> {
    const body = nodeBody(node) as { node_id: string; component_type: string; config: object };
    const { config: _later, ...blank } = body;
    const made = await this.#member.post(`${path}nodes/`, byPatch ? blank : body);
    expect([made.status, made.text]).toEqual([201, made.text]);
    if (!byPatch) return;
    const { status, text } = await this.#member.patch(`${path}nodes/${node.nodeId}/`, { config: body.config });
    expect([status, text]).toEqual([200, text]);
  }

  async #postEdge(path: string, edge: Edge, reason: string | null): Promise<void> {
    const { status, text } = await this.#member.post(`${path}edges/`, edgeBody(edge));
    const expected = reason === null ? 201 : 422;
    expect([edge, status, text]).toEqual([edge, expected, expect.stringContaining(quoted(reason))]);
  }

  /** Creates an edge between nodes that do not exist, and changes it into this one, which may be rejected. */
  async #moveEdge(path: string, edge: Edge, reason: string | null): Promise<void> {
    const blank = { source_node_id: 'nowhere', target_node_id: 'elsewhere', priority: edge.priority };
    const made = await this.#member.post(`${path}edges/`, blank);
    expect(made.status).toBe(201);
    const { priority: _same, ...changes } = edgeBody(edge) as Record<string, unknown>;
    const place = `${path}edges/${(made.body as { id: number }).id}/`;
    const { status, text } = await this.#member.patch(place, changes);
    const expected = reason === null ? 200 : 422;
    expect([edge, status, text]).toEqual([edge, expected, expect.stringContaining(quoted(reason))]);
    if (reason !== null) expect((await this.#member.delete(place)).status).toBe(204);
  }

  /** Checks that all places of the service give the same answer about the graph. */
  async check(drawn: DrawnGraph): Promise<void> {
    this.#made += 1;
    const slug = `drawn-${this.#made}`;
    const path = `${root}${slug}/`;
    expect((await this.#member.post(root, { name: slug, slug })).status).toBe(201);
    const graph = await this.#store(path, drawn);
    await this.#checkBatch(`${slug}-batch`, graph);
    const { valid, issues } = validation.parse((await this.#member.post(`${path}validate/`)).body);
    expect(facts(issues)).toEqual(factsOf(issuesOf(graph)));
    await this.#checkText(path, slug, issues);
    const errors = facts(issues.filter(({ severity }) => severity === 'error'));
    expect(valid).toBe(errors.length === 0);
    await this.#checkRuns(path, { graph, errors });
    for (const one of [slug, `${slug}-batch`, `${slug}-copy`]) await this.#member.delete(`${root}${one}/`);
  }

  async #checkBatch(slug: string, { nodes, edges }: DrawnGraph): Promise<void> {
    await this.#member.post(root, { name: slug, slug });
    const operations = [
      ...nodes.map((node) => ({ op: 'create_node', node: nodeBody(node) })),
      ...edges.map((edge) => ({ op: 'create_edge', edge: edgeBody(edge) })),
    ];
    const { version } = (await this.#member.get(`${root}${slug}/`)).body as { version: number };
    const { status, text } = await this.#member.post(`${root}${slug}/graph/`, { version, operations });
    expect([status, text]).toEqual([200, text]);
  }

  async #checkText(path: string, slug: string, issues: readonly object[]): Promise<void> {
    const text = (await this.#member.get(`${path}export/`)).body as { yaml_str: string };
    const check = (await this.#member.post(`${root}validate-dsl/`, text)).body as { issues: object[] };
    expect(facts(check.issues)).toEqual(facts(issues));
    const copy = { ...text, slug: `${slug}-copy` };
    const imported = await this.#member.post(`${root}import/`, copy);
    expect([imported.status, imported.text]).toEqual([201, imported.text]);
    expect(facts((imported.body as { issues: object[] }).issues)).toEqual(facts(issues));
    const again = (await this.#member.post(`${root}${slug}-copy/validate/`)).body as { issues: object[] };
    expect(facts(again.issues)).toEqual(facts(issues));
  }

  /** An invalid workflow performs no step however it is started, and a valid one is performed. */
  async #checkRuns(
    path: string,
    { graph, errors }: { readonly graph: DrawnGraph; readonly errors: readonly string[] },
  ): Promise<void> {
    const types = graph.nodes.map(({ componentType }) => componentType);
    const starts = graph.nodes.filter(({ componentType }) => componentType.startsWith('trigger_'));
    for (const { nodeId } of starts) {
      const answer = await this.#member.post(`${path}execute/`, { trigger_node_id: nodeId, payload: {} });
      expect([answer.status, answer.text]).toEqual([errors.length === 0 ? 200 : 422, answer.text]);
      if (answer.status === 422) expect(facts((answer.body as { issues: object[] }).issues)).toEqual(errors);
    }
    if (types.includes('trigger_chat') && errors.length > 0) {
      const answer = await this.#member.post(`${path}chat/`, { text: 'Hello' });
      expect([answer.status, facts((answer.body as { issues: object[] }).issues)]).toEqual([422, errors]);
    }
    if (types.includes('trigger_webhook')) {
      const slug = path.slice(root.length, -1);
      expect((await this.#member.post(`/api/v1/webhooks/${slug}`, { kind: 'a' })).status).toBe(200);
    }
    for (let turn = 0; turn < 3; turn += 1) await this.#running.settle();
    await this.#checkExecutions(path, errors.length === 0);
  }

  async #checkExecutions(path: string, isValid: boolean): Promise<void> {
    const slug = path.slice(root.length, -1);
    const { body } = await this.#member.get(`/api/v1/executions/?workflow_slug=${slug}`);
    for (const { execution_id: id } of executionList.parse(body).items) {
      const { error_code, logs } = executionDetail.parse((await this.#member.get(`/api/v1/executions/${id}/`)).body);
      expect([error_code === 'invalid_workflow', logs.length > 0]).toEqual([!isValid, isValid]);
      expect(error_code).not.toBe('run_invalid');
    }
  }
}

/** A part of a JSON body that holds a message. */
function quoted(message: string | null): string {
  return message === null ? '' : JSON.stringify(message).slice(1, -1);
}

test('a generated graph gets the same answer from every place of the service, and an invalid one performs no step', async () => {
  const service = await Service.start();
  await fc.assert(
    fc.asyncProperty(graphs, (graph) => service.check(graph)),
    { numRuns, endOnFailure: true },
  );
});
