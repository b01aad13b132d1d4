import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import type { z } from 'zod';
import type { McpPrograms } from '../../src/mcp/programs.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { credentials, Providers } from '../support/providers.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { type ScriptedAnswer, scripted } from '../support/scripted-model.ts';

export type Detail = z.infer<typeof executionDetail>;

interface Conversation {
  readonly answers: readonly ScriptedAnswer[];
  readonly agent?: JsonObject;
  /** The config of the node with the server. */
  readonly mcp: JsonObject;
  readonly credentialId?: number;
  /** Default: wiki. */
  readonly nodeId?: string;
}

/** An agent whose tools come from an MCP server, with a scripted model. */
export class McpAgent {
  readonly running: Running;
  readonly providers: Providers;
  readonly person: Person;

  private constructor(running: Running, providers: Providers, person: Person) {
    this.running = running;
    this.providers = providers;
    this.person = person;
  }

  static async start(mcpPrograms: McpPrograms = new Map()): Promise<McpAgent> {
    const providers = await Providers.start();
    const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
    const running = await startRunning({ catalogue, endpoints: providers.endpoints(), outbound, mcpPrograms });
    return new McpAgent(running, providers, await running.addPerson('member'));
  }

  /** Starts a conversation, and returns its execution's id. */
  async begin({ answers, agent = {}, mcp, credentialId, nodeId = 'wiki' }: Conversation): Promise<string> {
    this.providers.answersWith(scripted(answers));
    const common = credentialId === undefined ? {} : { credential_id: credentialId };
    await this.running.addWorkflow(this.person.user, 'wf', {
      nodes: {
        start: 'trigger_manual',
        ai: ['agent', { input: 'What is the answer?', ...agent }],
        gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
        [nodeId]: ['mcp_client', mcp, common],
      },
      edges: `start -> ai\ngpt -llm-> ai\n${nodeId} -tool-> ai`,
    });
    return this.again();
  }

  /** Starts the workflow once more. */
  async again(answers?: readonly ScriptedAnswer[]): Promise<string> {
    if (answers !== undefined) this.providers.answersWith(scripted(answers));
    const { body } = await this.person.post('/api/v1/workflows/wf/execute/', { payload: 'go' });
    return (body as { execution_id: string }).execution_id;
  }

  /** Returns the run when it does nothing more by itself. Requests use real sockets, and retries virtual time. */
  async settled(id: string): Promise<Detail> {
    for (let turn = 1; ; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 50 !== 0) continue;
      const { status } = (await this.running.store.executions.byId(id)) ?? {};
      if (status !== 'pending' && status !== 'running' && status !== 'waiting') return this.#detail(id);
      // Past the pause before another attempt. The servers answer in real time, before the time limit of a step.
      if (turn % 5000 === 0) this.running.time.advance(1000);
    }
  }

  async run(conversation: Conversation): Promise<Detail> {
    return this.settled(await this.begin(conversation));
  }

  async #detail(id: string): Promise<Detail> {
    return executionDetail.parse((await this.person.get(`/api/v1/executions/${id}/`)).body);
  }

  /** The tools in the first request to the model. */
  get offered(): readonly JsonObject[] {
    const tools = (this.providers.received[0]?.body?.tools ?? []) as readonly { readonly function: JsonObject }[];
    return tools.map(({ function: tool }) => tool);
  }

  /** The last message that the model got. */
  get lastMessage(): JsonObject {
    return (this.providers.last.body?.messages as readonly JsonObject[]).at(-1) ?? {};
  }
}

/** The error of the last log entry of a node. */
export function errorOf({ logs }: Detail, nodeId = 'ai'): readonly (string | null | undefined)[] {
  const entry = logs.findLast((log) => log.node_id === nodeId);
  return [entry?.error_code, entry?.error];
}
