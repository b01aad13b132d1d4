import type { Json } from '@millrace/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

/** The revisions of the protocol that clients speak: with a handshake, and without one. */
export const eras = ['legacy', 'auto'] as const;

type Sketch = Parameters<Running['addWorkflow']>[2];

/** A workflow that MCP clients may call: one step of a type between the call and its result. */
export function called(type: string, fields: Sketch['fields'] = {}): Sketch {
  return { fields: { mcp: true, ...fields }, nodes: { begin: 'trigger_workflow', work: type }, edges: 'begin -> work' };
}

/** The service on a real socket, and clients of another party. */
export class McpScene {
  readonly running: Running;
  readonly host: string;
  readonly member: Person;

  private constructor(running: Running, host: string, member: Person) {
    this.running = running;
    this.host = host;
    this.member = member;
  }

  static async start(): Promise<McpScene> {
    const running = await startRunning();
    const member = await running.addPerson('member');
    return new McpScene(running, await running.listen(), member);
  }

  add(slug: string, sketch: Sketch, owner = this.member): Promise<unknown> {
    return this.running.addWorkflow(owner.user, slug, sketch);
  }

  async connect(era: (typeof eras)[number] = 'auto', headers: Record<string, string> = {}, person = this.member) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
    const requestInit = { headers: { authorization: `Bearer ${person.key}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://${this.host}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }

  /** The names of the tools that a user is offered. */
  async names(person = this.member): Promise<readonly string[]> {
    const client = await this.connect('auto', {}, person);
    return (await client.listTools()).tools.map(({ name }) => name);
  }

  /** The executions of a workflow. */
  async runs(slug: string): Promise<readonly Json[]> {
    const { body } = await this.member.get(`/api/v1/executions/?workflow_slug=${slug}`);
    return (body as { items: readonly Json[] }).items;
  }
}

interface ToolAnswer {
  readonly content: readonly unknown[];
  readonly isError?: boolean | undefined;
}

/** The text of a result. */
export function textOf({ content }: ToolAnswer): string {
  expect(content).toHaveLength(1);
  return (content as readonly { text: string }[])[0]?.text ?? '';
}
