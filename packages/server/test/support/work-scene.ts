import { catalogue } from '@millrace/components';
import { executeAnswer, executionDetail, executionList } from '@millrace/contract';
import { defineComponent, type JsonObject, StepError } from '@millrace/core';
import { z } from 'zod';
import { type Person, type Running, startRunning } from './running.ts';

type Sketch = Parameters<Running['addWorkflow']>[2];
type Detail = z.infer<typeof executionDetail>;

const port = { name: 'output', dataType: 'any', description: 'A value.' } as const;

/** Workflows whose `work` steps fail while they are marked as broken, with a record of the performed steps. */
export class WorkScene {
  readonly running: Running;
  readonly member: Person;
  /** Nodes that fail when they are performed. */
  readonly broken: Set<string>;
  /** `node key` of each performed `work` step. */
  readonly performed: string[];

  private constructor(parts: Pick<WorkScene, 'running' | 'member' | 'broken' | 'performed'>) {
    this.running = parts.running;
    this.member = parts.member;
    this.broken = parts.broken;
    this.performed = parts.performed;
  }

  static async open(sketches: Readonly<Record<string, Sketch>>, broken: readonly string[] = ['b']): Promise<WorkScene> {
    const parts = { broken: new Set(broken), performed: [] as string[] };
    const work = defineComponent({
      type: 'work',
      label: 'Work',
      category: 'Logic',
      description: 'For tests.',
      icon: 'box',
      color: '#000000',
      inputs: [{ ...port, name: 'input', required: false }],
      outputs: [port],
      subInputs: [],
      effect: 'keyed',
      version: 1,
      config: z.strictObject({}),
      async run({ input, ctx }) {
        parts.performed.push(`${ctx.nodeId} ${ctx.idempotencyKey}`);
        if (parts.broken.has(ctx.nodeId)) throw new StepError('assertion', 'It is broken.');
        return { outputs: { output: input } };
      },
    });
    const running = await startRunning({ catalogue: new Map([...catalogue, ['work', work]]) });
    const scene = new WorkScene({ ...parts, running, member: await running.addPerson('member') });
    for (const [slug, sketch] of Object.entries(sketches)) await running.addWorkflow(scene.member.user, slug, sketch);
    return scene;
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await this.running.settle();
  }

  async run(slug = 'main'): Promise<Detail> {
    const { body } = await this.member.post(`/api/v1/workflows/${slug}/execute/`, { payload: { n: 4 } });
    await this.settle();
    return this.detail(executeAnswer.parse(body).execution_id);
  }

  async detail(id: string): Promise<Detail> {
    return executionDetail.parse((await this.member.get(`/api/v1/executions/${id}/`)).body);
  }

  /** The executions of a workflow, oldest first. */
  async of(slug: string): Promise<readonly Detail[]> {
    const { body } = await this.member.get(`/api/v1/executions/?workflow_slug=${slug}`);
    const { items } = executionList.parse(body);
    return Promise.all(items.reverse().map(({ execution_id: id }) => this.detail(id)));
  }

  async statuses(slug: string): Promise<readonly string[]> {
    return (await this.of(slug)).map(({ status }) => status);
  }

  /** Repairs the broken nodes, retries the execution, and lets it run. */
  async retry({ execution_id: id }: Detail): Promise<{ status: number; body: unknown }> {
    this.broken.clear();
    const answer = await this.member.post(`/api/v1/executions/${id}/retry/`);
    await this.settle();
    return answer;
  }

  steer({ execution_id: id }: Detail, verb: 'cancel' | 'retry' | 'resume', body?: JsonObject) {
    return this.member.post(`/api/v1/executions/${id}/${verb}/`, body);
  }

  /** How often each node was performed, under any key; usually once. */
  counts(): Readonly<Record<string, number>> {
    return tally(this.performed);
  }

  /** The number of keys of each node. */
  keys(): Readonly<Record<string, number>> {
    return tally([...new Set(this.performed)]);
  }
}

function tally(performed: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const each of performed) {
    const [node = ''] = each.split(' ');
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
