import { createHash } from 'node:crypto';
import { catalogue as ownCatalogue } from '@millrace/components';
import {
  type CallsRequest,
  type Catalogue,
  type Component,
  defineComponent,
  type EndedCall,
  isObject,
  type Json,
  type JsonObject,
  type MadeCalls,
  type Step,
  type StepContext,
  StepError,
  type StepResult,
} from '@millrace/core';
import {
  attemptName,
  type Block,
  type BlockNode,
  hash,
  mostCalls,
  nodesIn,
  plannedCallsOf,
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
  readonly #around: ReadonlyMap<string, Around>;
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
    this.#around = new Map([...aroundNodesOf(root), ...aroundNodesOf(child?.root ?? [])]);
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
      component('caller', run, {
        effect: 'idempotent',
        subInputs: [
          { name: 'model', dataType: 'llm', required: true, description: 'A model.' },
          { name: 'tools', dataType: 'tool', required: false, description: 'Tools.' },
        ],
        proceed: (made) => this.#proceed(made),
      }),
      component('tool', run, asTool),
      component('keyed_tool', run, { ...asTool, effect: 'keyed' }),
      component('once_tool', run, { ...asTool, effect: 'once' }),
      model,
      ...[...ownCatalogue.values()].filter(({ type }) => realTypes.includes(type)).map(withoutOrder),
    ];
    return new Map(types.map((type) => [type.type, type]));
  }

  #run(process: Process, { input, ctx }: Step<unknown>): Outcome | Promise<Outcome> {
    const node = this.#nodes.get(ctx.nodeId);
    if (node === undefined) throw new Error(`there is no node ${ctx.nodeId}`);
    const { executionId, frame } = placeOf(this.#around.get(node.nodeId) ?? noLoops, ctx);
    const name = `${executionId} ${frame}/${node.nodeId}`;
    const call = { name, key: ctx.idempotencyKey, run: JSON.stringify(ctx.scope.lookup('run')), kind: node.kind };
    this.calls.push(call);
    this.onCall(call, process.incarnation);
    const { failures, route } = plannedOutcomeOf(this.#world, node, frame);
    const end = (): Outcome => {
      if (ctx.attempt <= failures && !this.isRepaired)
        throw new StepError('http_status', 'It failed.', { retryable: true });
      const isBlind = node.kind === 'start' || isTool(node) || !seesInput(this.#configs.get(node.nodeId) ?? {});
      const seen = isBlind ? null : input;
      if (node.kind === 'switch') return { outputs: { output: seen, route }, route };
      if (node.kind === 'caller') {
        const name = `${frame === '' ? '' : `${frame}/`}${attemptName(node.nodeId, ctx.attempt)}`;
        return this.#nextRound(node, { name, seen, loop: ctx.scope.lookup('loop') ?? null, ended: [] });
      }
      return { outputs: { output: stepValue(node, seen, ctx.scope.lookup('loop') ?? null) } };
    };
    // Pure steps usually end at once; steps with effects take some time.
    if (!hasEffects.has(node.kind) && hash(`${frame}/${node.nodeId} at once`) % 3 > 0) return end();
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

  /** The next calls of a step, or its result if there are none. What is seen depends on nothing that happens between. */
  #nextRound(node: BlockNode, { name, seen, loop, ended }: Calling): StepResult | CallsRequest {
    const { rounds, concurrency } = plannedCallsOf(this.#world, node, name);
    const made = rounds.flatMap((round, index) => round.map(() => index));
    const round = rounds[made[ended.length] ?? rounds.length];
    if (round === undefined) {
      const values = ended.map(({ ended: end }) =>
        'failure' in end ? { error_code: end.failure.code } : (end.outputs.output ?? null),
      );
      return { outputs: { output: stepValue(node, [seen, ...values], loop) } };
    }
    const calls = round.map(({ tool, asks }) => ({ to: tool.nodeId, ...(asks && { asks: { seconds: null } }) }));
    return { calls, concurrency, ...(ended.length === 0 && { brief: { name, seen, loop } }) };
  }

  #proceed({ brief, calls, ctx }: MadeCalls): StepResult | CallsRequest {
    const node = this.#nodes.get(ctx.nodeId);
    if (node === undefined) throw new Error(`there is no node ${ctx.nodeId}`);
    const { name, seen = null, loop = null } = brief;
    return this.#nextRound(node, { name: String(name), seen, loop, ended: calls });
  }

  /** Some milliseconds; sometimes longer than the interval of heartbeats. */
  #duration(): number {
    const chance = this.#random();
    return chance < 0.05 ? 4000 : Math.floor(chance * 20);
  }
}

type Outcome = StepResult | CallsRequest;

/** A step that calls others, before a round of calls. */
interface Calling {
  /** Of its attempt. */
  readonly name: string;
  readonly seen: Json;
  readonly loop: Json;
  readonly ended: readonly EndedCall[];
}

const isTool = ({ kind }: BlockNode): boolean => kind === 'tool' || kind === 'keyed_tool' || kind === 'once_tool';

/** Steps of these kinds take some time. */
const hasEffects: ReadonlySet<BlockNode['kind']> = new Set(['keyed', 'once', 'keyed_tool', 'once_tool']);

const asTool = {
  outputs: [port, { name: 'tool', dataType: 'tool', description: 'The step as a tool.' }],
  tool: { description: 'For simulations.', fills: [] },
} as const satisfies Partial<Component<never>>;

/** The model that a node must have to make calls. No call of these graphs is one of the model. */
const { run: _never, ...model } = component('model', () => ({ outputs: {} }), {
  inputs: [],
  outputs: [{ name: 'model', dataType: 'llm', description: 'A model.' }],
});

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

/** What a node is in. */
interface Around {
  /** The loops, the outermost first. */
  readonly loops: readonly string[];
  /** The node that calls it; null if it is no tool. */
  readonly caller: string | null;
}

const noLoops: Around = { loops: [], caller: null };

function aroundNodesOf(block: Block, loops: readonly string[] = []): ReadonlyMap<string, Around> {
  return new Map(
    block.flatMap(({ nodeId, body, tools }) => [
      [nodeId, { loops, caller: null }] as const,
      ...tools.map((tool) => [tool.nodeId, { loops, caller: nodeId }] as const),
      ...(body === null ? [] : aroundNodesOf(body, [...loops, nodeId])),
    ]),
  );
}

/** The frame of a step: the one that matches its Idempotency-Key. */
function placeOf(around: Around, ctx: StepContext): { readonly executionId: string; readonly frame: string } {
  const run = ctx.scope.lookup('run');
  const executionId = isObject(run) ? String(run.id) : '';
  const frame = framesOf(around, ctx.scope.lookup('loop')).find((candidate) => {
    const text = JSON.stringify([executionId, candidate, ctx.nodeId]);
    return createHash('sha256').update(text).digest('hex') === ctx.idempotencyKey;
  });
  if (frame === undefined) throw new Error(`no frame of ${ctx.nodeId} has this Idempotency-Key`);
  return { executionId, frame };
}

/** The possible names of the frame. */
function framesOf({ loops, caller }: Around, loop: Json | undefined): readonly string[] {
  const outer = loopFramesOf(loops, loop);
  if (caller === null) return outer;
  const indexes = Array.from({ length: mostCalls }, (_none, index) => `[${index}]`);
  return outer.flatMap((frame) => indexes.flatMap((index) => inBothAttempts(frame, caller, index)));
}

function loopFramesOf(loops: readonly string[], inner: Json | undefined): readonly string[] {
  const loop = loops.at(-1);
  if (loop === undefined || !isObject(inner)) return [''];
  const index = `[${String(inner.index)}]`;
  return loopFramesOf(loops.slice(0, -1), inner.outer).flatMap((outer) => inBothAttempts(outer, loop, index));
}

/** No loop and no calling node of these graphs has more than two attempts. */
function inBothAttempts(outer: string, nodeId: string, index: string): readonly string[] {
  const path = outer === '' ? '' : `${outer}/`;
  return [1, 2].map((attempt) => `${path}${attemptName(nodeId, attempt)}${index}`);
}

function component(
  type: string,
  run: (step: Step<unknown>) => Outcome | Promise<Outcome>,
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
