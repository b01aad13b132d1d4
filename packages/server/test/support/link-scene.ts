import { catalogue } from '@millrace/components';
import type { JsonObject } from '@millrace/core';
import { type Person, type Running, startRunning } from './running.ts';

/** A workflow in the short form of the link tests. */
export type LinkSketch = Parameters<Running['addWorkflow']>[2];

/** A service whose runs wait for requests to the links in their data. */
export interface LinkScene {
  readonly running: Running;
  readonly member: Person;
  /** Starts a workflow and lets it run until it settles. */
  start(slug: string): Promise<() => Promise<JsonObject>>;
  /** Sends a request without a key. */
  send(
    method: 'GET' | 'POST',
    url: string,
    body?: string,
    type?: string,
  ): Promise<{ status: number; text: string; headers: Record<string, unknown> }>;
}

/** Starts it for the current test. */
export async function linkScene(sketches: Readonly<Record<string, LinkSketch>>): Promise<LinkScene> {
  const running = await startRunning({ catalogue });
  const member = await running.addPerson('member');
  for (const [slug, sketch] of Object.entries(sketches)) await running.addWorkflow(member.user, slug, sketch);
  return {
    running,
    member,
    async start(slug) {
      const { status, body } = await member.post(`/api/v1/workflows/${slug}/execute/`, { payload: { items: [1, 2] } });
      if (status !== 200) throw new Error(`the workflow was not started: ${JSON.stringify(body)}`);
      await running.settle();
      const path = `/api/v1/executions/${(body as JsonObject).execution_id}/`;
      return async () => (await member.get(path)).body as JsonObject;
    },
    async send(method, url, body, type = 'application/json') {
      const headers = body === undefined ? {} : { 'content-type': type };
      const path = url.replace('http://localhost', '');
      const answer = await running.app.inject({
        method,
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      });
      await running.settle();
      return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
    },
  };
}

/** The output of the node `received`, which runs before the waiting step. */
export function received(detail: JsonObject, key: string, frame = ''): string {
  const logs = detail.logs as readonly JsonObject[];
  const log = logs.find((entry) => entry.node_id === 'received' && entry.frame === frame);
  return String(((log?.output as JsonObject | undefined)?.output as JsonObject | undefined)?.[key]);
}
