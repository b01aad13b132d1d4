import { catalogue } from '@millrace/components';
import {
  type Catalogue,
  type Component,
  defineComponent,
  type Json,
  type Step,
  StepError,
  type StepResult,
} from '@millrace/core';
import { z } from 'zod';

type Action = (step: Step<Record<string, Json>>) => StepResult | Promise<StepResult>;

const port = { name: 'output', dataType: 'any', description: 'A value.' } as const;

function step(type: string, category: Component['category'], run: Action): [string, Component<never>] {
  const component = defineComponent({
    type,
    label: type,
    category,
    description: 'For tests.',
    icon: 'box',
    color: '#000000',
    inputs: category === 'Triggers' ? [] : [{ ...port, name: 'input', required: false }],
    outputs: [port],
    subInputs: [],
    effect: type === 'held' ? 'keyed' : 'pure',
    version: 1,
    config: z.record(z.string(), z.json()),
    run,
  });
  return [type, component as unknown as Component<never>];
}

/** Steps that tests hold back: each ends when the test releases it. */
export class Steps {
  readonly #held: (() => void)[] = [];
  #failures = 0;

  /** Triggers, an echo, a step that fails, one that responds, and one that waits for the test. */
  readonly catalogue: Catalogue = new Map([
    ...[...catalogue].filter(([type]) => type === 'loop'),
    ...['trigger_webhook', 'trigger_manual', 'trigger_workflow', 'trigger_error'].map((type) =>
      step(type, 'Triggers', passTrigger),
    ),
    step('echo', 'Logic', ({ input }) => ({ outputs: { output: input } })),
    step('fail', 'Logic', () => {
      throw new StepError('assertion', 'It was bound to fail.');
    }),
    step('fail_once', 'Logic', ({ input }) => {
      this.#failures += 1;
      if (this.#failures === 1) throw new StepError('assertion', 'It failed this once.');
      return { outputs: { output: input } };
    }),
    step('respond', 'Output', ({ input, config }) => {
      const { status = 200, headers = {}, body = input } = config;
      const respond = { status: Number(status), headers: headers as Record<string, string>, body };
      return { outputs: { output: body }, respond };
    }),
    step('held', 'Logic', async ({ input }) => {
      await new Promise<void>((resolve) => this.#held.push(resolve));
      return { outputs: { output: input } };
    }),
  ]);

  get heldCount(): number {
    return this.#held.length;
  }

  /** Releases everything held so far. */
  letGo(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

/** Its first output is everything the trigger received, so that a test sees it in the output of the run. */
function passTrigger({ input }: Step<Record<string, Json>>): StepResult {
  return { outputs: { output: input } };
}
