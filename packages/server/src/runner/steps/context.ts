import { createHash } from 'node:crypto';
import {
  asObject,
  type Captured,
  type CommandRequest,
  type CommandResult,
  type CompiledConfig,
  type Connected,
  type ConversationPort,
  type FactsPort,
  type GitRequest,
  type Json,
  type JsonObject,
  listedTool,
  type McpPort,
  type McpServer,
  Meter,
  type ModelPort,
  missingConnection,
  modelIn,
  modelSlot,
  type OutboundRequest,
  type OutboundResponse,
  type PeoplePort,
  type PlanNode,
  type PlatformAnswer,
  type PlatformRequest,
  runThrough,
  type Scope,
  type Script,
  type ScriptResult,
  type SlicedWork,
  type StepContext,
  StepError,
  type Tool,
  type ToolDescription,
  type ToolLister,
  toolOf,
  toolSlot,
} from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';
import { continued } from '../work-record.ts';
import { type Attempt, workOf } from './attempt.ts';
import { factsOf, peopleOf } from './memory.ts';
import { resolveFor } from './resolve-for.ts';
import { inSlices } from './slices.ts';

/** A node that sends requests. */
type Caller = Pick<PlanNode, 'nodeId' | 'component' | 'common'>;

/** The context of one attempt: everything outside the component that it can use. */
export class Context implements StepContext {
  readonly #ports: RunnerPorts;
  readonly #attempt: Attempt;

  constructor(ports: RunnerPorts, attempt: Attempt) {
    this.#ports = ports;
    this.#attempt = attempt;
  }
  get scope(): Scope {
    return this.#attempt.scope;
  }
  get nodeId(): string {
    return this.#attempt.step.node.nodeId;
  }
  get attempt(): number {
    return this.#attempt.attempt;
  }
  get sources(): readonly string[] {
    return this.#attempt.step.inputEdges.map((edge) => edge.source);
  }
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
  get idempotencyKey(): string {
    // A step's key is the same for every attempt and after every crash: sha256(run, frame, node).
    const { executionId, step } = this.#attempt;
    const key = JSON.stringify([executionId, step.frame.key, step.node.nodeId]);
    return createHash('sha256').update(key).digest('hex');
  }
  get systemPrompt(): string {
    const { prompt } = this.#attempt.step.node;
    if (prompt === null) return '';
    const { system_prompt: text = '' } = asObject(this.#resolve(prompt), 'system_prompt');
    return typeof text === 'string' ? text : JSON.stringify(text);
  }
  get model(): ModelPort {
    const { model } = this.#attempt;
    // A component without this sub-input does not call this: otherwise it is an error of its author.
    if (model === null) throw new Error(`'${this.#attempt.step.node.component.type}' has no model`);
    return model;
  }
  get modelNodeId(): string {
    const model = modelIn(this.#attempt.step.node.subs);
    if (model === undefined) throw new StepError('missing_connection', missingConnection(this.nodeId, modelSlot));
    return model.nodeId;
  }
  get conversation(): ConversationPort {
    const { conversation } = this.#ports;
    const { executionId } = this.#attempt;
    return {
      before: (asked) => this.#continued(conversation.before({ executionId, ...asked })),
      keepSummary: (summary) => this.#continued(conversation.keepSummary({ executionId, ...summary })),
    };
  }
  get facts(): FactsPort {
    const port = factsOf(this.#ports, this.#attempt.run);
    return {
      find: (...asked) => this.#continued(port.find(...asked)),
      list: (...asked) => this.#continued(port.list(...asked)),
      put: (...asked) => this.#continued(port.put(...asked)),
      remove: (...asked) => this.#continued(port.remove(...asked)),
    };
  }
  get people(): PeoplePort {
    const port = peopleOf(this.#ports, this.#attempt.run, this.idempotencyKey);
    return { identify: (seen) => this.#continued(port.identify(seen)) };
  }
  connected(subInput: string): readonly Connected[] {
    const subs = this.#attempt.step.node.subs.get(subInput) ?? [];
    return subs.map(({ nodeId, component, config }) => {
      return { nodeId, type: component.type, config: asObject(this.#resolve(config), nodeId) };
    });
  }
  async tools(): Promise<readonly Tool[]> {
    const { subs, callees, nodeId } = this.#attempt.step.node;
    const tools: Tool[] = [];
    for (const sub of subs.get(toolSlot) ?? []) {
      const node = callees.get(sub.nodeId);
      const settings = node?.tool ?? {};
      if (sub.component.tool?.list !== undefined) {
        const config = asObject(this.#resolve(sub.config), sub.nodeId);
        const offered = await sub.component.tool.list({ nodeId: sub.nodeId, config }, this.#listerFor(sub));
        const { tools: several, problem } = offered;
        if (problem !== undefined) throw new StepError(problem.code, problem.message);
        tools.push(...several.map((tool) => listedTool({ ...sub, settings }, tool)));
        continue;
      }
      const config = asObject(sub.config.source, sub.nodeId);
      const described = await sub.component.tool?.describe?.(config, this);
      const tool = toolOf({ ...sub, config, settings, ...(described !== undefined && { described }) });
      if (tool !== null) tools.push(tool);
    }
    const names = tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice === undefined) return tools;
    const message = `Two tools of node '${nodeId}' have the name '${twice}': set 'tool.name' of one of them.`;
    throw new StepError('tool_names', message);
  }
  #listerFor(sub: Caller): ToolLister {
    return {
      mcp: (server) => this.#mcpOf(sub, server),
      schemaIssue: (schema, value) => this.schemaIssue(schema, value),
      digest: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }
  mcp(server: McpServer): McpPort {
    return this.#mcpOf(this.#attempt.step.node, server);
  }
  #mcpOf({ nodeId, component, common }: Caller, server: McpServer): McpPort {
    const { http, toolRequest, turns, work, clock } = this.#ports;
    const { executionId, workflowId, signal, run, outside } = this.#attempt;
    const credentialId = component.credential === undefined ? null : common.credential_id;
    const current = { executionId, during: 'steps', nodeId } as const;
    // A connection lives longer than the attempt that opens it, so nothing here belongs to the attempt.
    const target = {
      executionId,
      nodeId,
      ownerId: run.ownerId,
      server,
      send(request: OutboundRequest, stop: AbortSignal) {
        const call = { nodeId, workflowId, credentialId, variables: new Map(), request };
        return credentialId === null ? http(request, stop) : toolRequest(call, stop);
      },
      inSlices<Read>(reading: (meter: Meter) => SlicedWork<Read>, stop: AbortSignal): Promise<Read> {
        const meter = new Meter(() => clock.monotonic());
        const read = async () => inSlices(reading(meter), { turns, work, current, meter, signal: stop });
        // The library works on what was read before anything else happens.
        return continued(work, current, work.perform(current, read));
      },
    };
    const port = outside.mcp.open(target, signal);
    return {
      tools: () => this.#continued(port.tools()),
      call: (tool, args) => this.#continued(port.call(tool, args)),
    };
  }
  workflowInput(slug: string): Promise<ToolDescription> {
    return this.#continued(this.#ports.workflowInput(this.#attempt.run, slug));
  }
  platform(request: PlatformRequest): Promise<PlatformAnswer> {
    const { idempotencyKey } = this;
    const call = this.#attempt.outside.platform({ id: this.#attempt.workflowId }, { ...request, idempotencyKey });
    return this.#continued(call);
  }
  async startWorkflow(slug: string, payload: Json, isWaitedFor: boolean): Promise<string> {
    const call = { nodeId: this.nodeId, slug, payload, isWaitedFor };
    const execution = await this.#continued(this.#ports.subworkflow(this.#attempt.run, call));
    this.#attempt.starts.push(execution);
    return execution.id;
  }
  now(): number {
    return this.#ports.clock.now();
  }
  http(request: OutboundRequest): Promise<OutboundResponse> {
    const { component, common } = this.#attempt.step.node;
    const { workflowId, signal, placeholders: variables, outside } = this.#attempt;
    const { type = null } = component.credential ?? {};
    const credentialId = type === null ? null : common.credential_id;
    if (type === 'chat_bot') return this.#continued(this.#botRequest(credentialId, request));
    if (credentialId === null && variables.size === 0) return this.#continued(outside.http(request, signal));
    const call = { nodeId: this.nodeId, workflowId, credentialId, variables, request };
    return this.#continued(outside.toolRequest(call, signal));
  }
  git(request: GitRequest): Promise<JsonObject> {
    const { step, run, signal, outside } = this.#attempt;
    const credentialId = step.node.common.credential_id;
    const { id: executionId, ownerId } = run;
    const call = { nodeId: this.nodeId, executionId, ownerId, credentialId, request, at: this.now() };
    return this.#continued(outside.git(call, signal));
  }
  async credentialEndpoint(): Promise<string | null> {
    const { common } = this.#attempt.step.node;
    if (common.credential_id === null) return null;
    return this.#continued(this.#ports.endpointOf(common.credential_id));
  }
  resolveUrl(reference: string, base: string): { href: string; origin: string } | null {
    const url = URL.parse(reference, base);
    return url === null ? null : { href: url.href, origin: url.origin };
  }
  get meter(): Meter {
    return this.#attempt.meter;
  }
  readonly inSlices = <Result>(work: SlicedWork<Result>): Result | Promise<Result> => {
    const { turns, work: record } = this.#ports;
    const { meter, signal } = this.#attempt;
    return inSlices(work, { turns, work: record, current: workOf(this.#attempt), meter, signal });
  };
  matches(pattern: string, text: string): boolean {
    return this.#ports.patterns.matches(pattern, text);
  }
  capture(pattern: string, text: string): Captured | null {
    return this.#ports.patterns.capture(pattern, text);
  }
  schemaIssue(schema: JsonObject, value: Json): string | null {
    return this.#ports.schemaIssue(schema, value, this.#attempt.meter);
  }
  runScript(script: Script): Promise<ScriptResult> {
    const { workflowId, signal, meter, run } = this.#attempt;
    const owner = { workflowId, ownerId: run.ownerId, signal, meter, inSlices: this.inSlices };
    return this.#continued(this.#ports.runScript(script, owner));
  }

  async #botRequest(credentialId: number | null, request: OutboundRequest): Promise<OutboundResponse> {
    const { nodeId } = this;
    const { outside, signal } = this.#attempt;
    if (credentialId !== null) return outside.botRequest({ nodeId, credentialId, request }, signal);
    const message = `Node '${nodeId}' has no credential: set its credential_id to one of the type 'chat_bot'.`;
    throw new StepError('credential_missing', message);
  }

  runCommand(request: CommandRequest): Promise<CommandResult> {
    const { run, signal, outside } = this.#attempt;
    return this.#continued(outside.runCommand(request, { ownerId: run.ownerId, signal }));
  }

  /** The component continues when the operation has ended. */
  #continued<Result>(operation: Promise<Result>): Promise<Result> {
    return continued(this.#ports.work, workOf(this.#attempt), operation);
  }

  #resolve(config: CompiledConfig): Json {
    return runThrough(resolveFor(this.#ports, this.#attempt, { config }));
  }
}

/**
 * Rejects an attempt of a node whose sub-inputs lack a required connection.
 * @throws StepError missing_connection
 */
export function checkSubComponents({ step: { node } }: Pick<Attempt, 'step'>): void {
  for (const { name, required } of node.component.subInputs) {
    const count = node.subs.get(name)?.length ?? 0;
    if (required && count === 0) {
      throw new StepError('missing_connection', missingConnection(node.nodeId, name));
    }
  }
}
