import { createHash } from 'node:crypto';
import { catalogue as ownCatalogue } from '@millrace/components';
import {
  type Catalogue,
  type Component,
  defineComponent,
  isObject,
  type Json,
  type JsonObject,
  type Step,
  type StepContext,
  StepError,
  type StepResult,
} from '@millrace/core';
import {
  type Block,
  type BlockNode,
  hash,
  nodesIn,
  plannedOutcomeOf,
  type RandomWorld,
  seesInput,
  stepValue,
} from '@millrace/core/testkit';
import { z } from 'zod';
import type { Timers } from '../../src/ground/clock.ts';
import type { Incarnation } from './faulty-store.ts';

const port = { name: 'output', dataType: 'any', description: 'A value.' } as const;

/** One call of a step's component. */
export interface CalledStep {
  /** Execution, frame and node. */
  readonly name: string;
  readonly key: string;
  /** The run as its expressions see it. */
  readonly run: string;
  readonly kind: BlockNode['kind'];
}

/** The steps of a random graph, as the outside world sees them. */
export class SimSteps {
  readonly calls: CalledStep[] = [];
  /** Whether all failures have been repaired. */
  isRepaired = false;
  /** Called for each call of a step, before it does anything. */
  onCall: (call: CalledStep, incarnation: Incarnation) => void = () => undefined;
  readonly #world: RandomWorld;
  readonly #nodes: ReadonlyMap<string, BlockNode>;
  readonly #configs: ReadonlyMap<string, JsonObject>;
  readonly #loops: ReadonlyMap<string, readonly string[]>;
  readonly #random: () => number;

  constructor(world: RandomWorld, random: () => number) {
    this.#world = world;
    const { root, graph, child } = world;
    this.#nodes = new Map(nodesIn([...root, ...(child?.root ?? [])]).map((node) => [node.nodeId, node]));
    this.#configs = new Map(
      [...graph.nodes, ...(child?.graph.nodes ?? [])].map(({ nodeId, config }) => [
        nodeId,
        isObject(config.extra_config) ? config.extra_config : {},
      ]),
    );
    this.#loops = new Map([...loopsIn(root), ...loopsIn(child?.root ?? [])]);
    this.#random = random;
  }

  /** The node types as one process has them. */
  catalogue(incarnation: Incarnation, timers: Timers): Catalogue {
    const run = (step: Step<unknown>) => this.#run({ incarnation, timers }, step);
    const types = [
      component('start', run, { category: 'Triggers', inputs: [] }),
      component('step', run),
      component('keyed', run, { effect: 'keyed' }),
      component('once', run, { effect: 'once' }),
      component('switch', run, { outputs: [port, { ...port, name: 'route', dataType: 'text' }] }),
      component('gather', run, { gathers: 'always' }),
      ...[...ownCatalogue.values()].filter(({ type }) => realTypes.includes(type)).map(withoutOrder),
    ];
    return new Map(types.map((type) => [type.type, type]));
  }

  #run(process: Process, { input, ctx }: Step<unknown>): StepResult | Promise<StepResult> {
    const node = this.#nodes.get(ctx.nodeId);
    if (node === undefined) throw new Error(`there is no node ${ctx.nodeId}`);
    const { executionId, frame } = placeOf(this.#loops.get(node.nodeId) ?? [], ctx);
    const name = `${executionId} ${frame}/${node.nodeId}`;
    const call = { name, key: ctx.idempotencyKey, run: JSON.stringify(ctx.scope.lookup('run')), kind: node.kind };
    this.calls.push(call);
    this.onCall(call, process.incarnation);
    const { failures, route } = plannedOutcomeOf(this.#world, node, frame);
    const end = (): StepResult => {
      if (ctx.attempt <= failures && !this.isRepaired)
        throw new StepError('http_status', 'It failed.', { retryable: true });
      const isBlind = node.kind === 'start' || !seesInput(this.#configs.get(node.nodeId) ?? {});
      const seen = isBlind ? null : input;
      if (node.kind === 'switch') return { outputs: { output: seen, route }, route };
      return { outputs: { output: stepValue(node, seen, ctx.scope.lookup('loop') ?? null) } };
    };
    // Pure steps usually end at once; steps with effects take some time.
    if (node.kind !== 'keyed' && node.kind !== 'once' && hash(`${frame}/${node.nodeId} at once`) % 3 > 0) return end();
    return new Promise((resolve, reject) => {
      process.timers.after(this.#duration(), () => {
        try {
          resolve(end());
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  /** Some milliseconds; sometimes longer than the interval of heartbeats. */
  #duration(): number {
    const chance = this.#random();
    return chance < 0.05 ? 4000 : Math.floor(chance * 20);
  }
}

/** Types that the engine itself handles are not replaced. */
const realTypes = ['loop', 'wait', 'human_confirmation', 'workflow', 'state'];

/** A state step's value depends on the order of commits, so the nodes after it get an output that is always empty. */
function withoutOrder(component: Component<never>): Component<never> {
  return component.type === 'state' ? { ...component, outputs: [port, ...component.outputs] } : component;
}

interface Process {
  readonly incarnation: Incarnation;
  readonly timers: Timers;
}

/** The loops around each node, the outermost first. */
function loopsIn(block: Block, around: readonly string[] = []): ReadonlyMap<string, readonly string[]> {
  return new Map(
    block.flatMap(({ nodeId, body }) => [
      [nodeId, around] as const,
      ...(body === null ? [] : loopsIn(body, [...around, nodeId])),
    ]),
  );
}

/** The frame of a step: the one that matches its Idempotency-Key. */
function placeOf(loops: readonly string[], ctx: StepContext): { readonly executionId: string; readonly frame: string } {
  const run = ctx.scope.lookup('run');
  const executionId = isObject(run) ? String(run.id) : '';
  const frame = framesOf(loops, ctx.scope.lookup('loop')).find((candidate) => {
    const text = JSON.stringify([executionId, candidate, ctx.nodeId]);
    return createHash('sha256').update(text).digest('hex') === ctx.idempotencyKey;
  });
  if (frame === undefined) throw new Error(`no frame of ${ctx.nodeId} has this Idempotency-Key`);
  return { executionId, frame };
}

/** The possible names of the frame: no loop of these graphs has more than two attempts. */
function framesOf(loops: readonly string[], inner: Json | undefined): readonly string[] {
  const loop = loops.at(-1);
  if (loop === undefined || !isObject(inner)) return [''];
  const index = `[${String(inner.index)}]`;
  return framesOf(loops.slice(0, -1), inner.outer).flatMap((outer) => {
    const path = outer === '' ? '' : `${outer}/`;
    return [`${path}${loop}${index}`, `${path}${loop}#2${index}`];
  });
}

function component(
  type: string,
  run: (step: Step<unknown>) => StepResult | Promise<StepResult>,
  extra: Omit<Partial<Component<never>>, 'config'> = {},
): Component<never> {
  return defineComponent<never>({
    type,
    label: type,
    category: 'Logic',
    description: 'For simulations.',
    icon: 'box',
    color: '#000000',
    inputs: [{ ...port, name: 'input', required: false }],
    outputs: [port],
    subInputs: [],
    effect: 'pure',
    version: 1,
    config: z.never(),
    run,
    ...extra,
  });
}
