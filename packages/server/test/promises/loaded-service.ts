import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, testKey } from '../durable/service-process.ts';
import { LoadClient } from '../mixed/load-client.ts';

const slug = 'loaded';
const hook = `/api/v1/webhooks/${slug}`;
const payload = JSON.stringify({ n: 21, text: 'a short payload, as most webhooks send' });

/** The answers to the webhooks of one test. */
export class Answers {
  /** Executions that the service acknowledged. */
  readonly acknowledged: string[] = [];
  /** How often each status came. */
  readonly statuses = new Map<number, number>();
  /** Requests without an answer, by the code of their error. */
  readonly failures = new Map<string, number>();

  get total(): number {
    return [...this.statuses.values(), ...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** A service with one small workflow, which a webhook starts, in a data directory of its own. */
export class LoadedService {
  readonly #dataDir: string;
  #service: ServiceProcess;

  private constructor(dataDir: string, service: ServiceProcess) {
    this.#dataDir = dataDir;
    this.#service = service;
  }

  static async start(): Promise<LoadedService> {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-promises-'));
    const service = await ServiceProcess.start(dataDir);
    await service.call('POST', '/api/v1/workflows/', { name: 'Loaded', slug });
    for (const [node_id, component_type, extra_config] of [
      ['hook', 'trigger_webhook', {}],
      ['double', 'transform', { fields: { n: '{{ trigger.payload.n * 2 }}' } }],
    ] as const) {
      await service.call('POST', `/api/v1/workflows/${slug}/nodes/`, {
        node_id,
        component_type,
        config: { extra_config },
      });
    }
    const edge = { source_node_id: 'hook', target_node_id: 'double' };
    const { status } = await service.call('POST', `/api/v1/workflows/${slug}/edges/`, edge);
    if (status !== 201) throw new Error(`the workflow is incomplete: ${status}`);
    return new LoadedService(dataDir, service);
  }

  get pid(): number {
    return this.#service.pid;
  }

  get database(): string {
    return join(this.#dataDir, 'millrace.db');
  }

  call(method: string, path: string): Promise<{ status: number; body: unknown }> {
    return this.#service.call(method, path);
  }

  /**
   * Sends webhooks over some connections, each as soon as the one before was answered, until `isOver`.
   * @param isOver returns true when no more requests are to be sent
   */
  async post(connections: number, isOver: (answers: Answers) => boolean, answers = new Answers()): Promise<Answers> {
    await Promise.all(Array.from({ length: connections }, () => this.#connection(answers, isOver)));
    return answers;
  }

  async #connection(answers: Answers, isOver: (answers: Answers) => boolean): Promise<void> {
    const client = new LoadClient({ url: this.#service.url, keys: [testKey] });
    try {
      while (!isOver(answers)) await sendOne(client, answers);
    } finally {
      client.end();
    }
  }

  /** Stops the service; returns its exit code. */
  stop(): Promise<number | null> {
    return this.#service.stop();
  }

  async restart(): Promise<void> {
    await this.#service.stop();
    this.#service = await ServiceProcess.start(this.#dataDir);
  }

  /** Waits until no execution is pending or running, and returns those that are missing or did not complete. */
  async lost(ids: readonly string[]): Promise<readonly string[]> {
    const isIdle = async (): Promise<boolean> => {
      const states = await Promise.all(['pending', 'running'].map((status) => this.#count(status)));
      return states.every((count) => count === 0);
    };
    let idle = false;
    while (!idle) {
      idle = await isIdle();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const lost: string[] = [];
    for (const id of ids) {
      const { status, body } = await this.call('GET', `/api/v1/executions/${id}/`);
      if (status !== 200 || (body as { status: string }).status !== 'completed') lost.push(id);
    }
    return lost;
  }

  /** How many executions have been completed. */
  completed(): Promise<number> {
    return this.#count('completed');
  }

  async #count(status: string): Promise<number> {
    const { body } = await this.call('GET', `/api/v1/executions/?status=${status}&limit=1`);
    return (body as { total: number }).total;
  }

  async remove(): Promise<void> {
    await this.#service.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

async function sendOne(client: LoadClient, answers: Answers): Promise<void> {
  try {
    const { status, body } = await client.call('POST', hook, payload);
    answers.statuses.set(status, (answers.statuses.get(status) ?? 0) + 1);
    if (status === 200) answers.acknowledged.push((JSON.parse(body) as { execution_id: string }).execution_id);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    answers.failures.set(code, (answers.failures.get(code) ?? 0) + 1);
  }
}
