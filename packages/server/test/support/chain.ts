import { executeAnswer, executionDetail } from '@millrace/contract';
import type { z } from 'zod';
import { type Person, type Running, startRunning } from './running.ts';

/** An execution as the API shows it. */
export type Detail = z.infer<typeof executionDetail>;

/** Workflows with a chain of four nodes that a member runs by hand. */
export class Chain {
  readonly running: Running;
  readonly member: Person;

  private constructor(running: Running, member: Person) {
    this.running = running;
    this.member = member;
  }

  static async open(): Promise<Chain> {
    const running = await startRunning();
    return new Chain(running, await running.addPerson('member'));
  }

  /** `start -> first -> second -> third`, where `second` is of this type. */
  async add(slug: string, second: string, fields: object = {}): Promise<void> {
    await this.running.addWorkflow(this.member.user, slug, {
      nodes: { start: 'trigger_manual', first: 'echo', second, third: 'echo' },
      edges: 'start -> first\nfirst -> second\nsecond -> third',
      fields,
    });
  }

  /** Runs it until it settles. */
  async run(slug: string): Promise<Detail> {
    const { body } = await this.member.post(`/api/v1/workflows/${slug}/execute/`, { payload: { n: 1 } });
    await this.running.settle();
    return this.detail(executeAnswer.parse(body).execution_id);
  }

  async detail(id: string): Promise<Detail> {
    return executionDetail.parse((await this.member.get(`/api/v1/executions/${id}/`)).body);
  }
}

/** The nodes that were performed in this execution itself, with their status. */
export function performed({ logs }: Detail): string[] {
  return logs
    .filter(({ metadata }) => metadata.reused_from === undefined)
    .map(({ node_id, status }) => `${node_id} ${status}`);
}
