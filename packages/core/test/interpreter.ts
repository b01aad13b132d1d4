import type { Edge } from '../src/graph/graph.ts';
import { isObject, type Json, type JsonObject } from '../src/json.ts';
import { type Calling, interpretCalls } from './interpreted-calls.ts';
import { type Block, type BlockNode, plannedCallsOf, plannedOutcomeOf, type RandomWorld } from './random-world.ts';
import { stepValue } from './step-value.ts';

/** How a node ended in a frame. */
export interface NodeEnd {
  readonly end: 'succeeded' | 'failed' | 'skipped';
  readonly attempts: number;
  /** False if a parallel failure may have come first. */
  readonly isCertain: boolean;
}

/** How a run must end. */
export interface Expected {
  readonly status: 'completed' | 'failed';
  /** Of a completed run. */
  readonly output: Json;
  /** For a failed run: the nodes of which one must be named. */
  readonly blamed: ReadonlySet<string>;
  /** By frame and node. */
  readonly ends: ReadonlyMap<string, NodeEnd>;
}

/**
 * An independent model of runs: walks the nodes of a random graph in order and recurses into the bodies of loops. It
 * has no journal, no fold, no decisions, no time and no concurrency.
 */
export function interpret(world: RandomWorld): Expected {
  const interpreter = new Interpreter(world);
  const root = interpreter.runFrame(world.root, { frame: '', entry: null, loop: null });
  if (root.blamed.size > 0) {
    return { status: 'failed', output: null, blamed: root.blamed, ends: asPossible(interpreter.ends) };
  }
  return { status: 'completed', output: root.value, blamed: root.blamed, ends: interpreter.ends };
}

/** Every approval is given, a wait returns its input, and a change of state leads on without a value. */
function outputOf(node: BlockNode, input: Json, loop: Json): Json {
  if (node.kind === 'human_confirmation') return true;
  if (node.kind === 'state') return null;
  return node.kind === 'wait' ? input : stepValue(node, input, loop);
}

/** Whether the values that reach a node are determined: a join that does not wait for all takes the first ones. */
export function seesInput(extra: JsonObject): boolean {
  return extra.join === undefined || extra.join === 'all';
}

/** The labels of edges on which no value reaches a node before it starts. */
const passesNoValue: ReadonlySet<Edge['edgeLabel']> = new Set(['loop_return', 'llm', 'tool']);

interface Surroundings {
  readonly frame: string;
  /** The loop whose body this is, with the item. */
  readonly entry: { readonly loop: string; readonly item: Json } | null;
  /** The value of `loop`. */
  readonly loop: JsonObject | null;
}

interface FrameEnd {
  /** The nodes whose failure may have ended the frame. */
  readonly blamed: ReadonlySet<string>;
  /** The output of the run, or the value returned to the loop. */
  readonly value: Json;
}

/** The outgoing edges of a node: none is decided before it has ended. */
interface Left {
  readonly value: Json;
  readonly takes: (edge: Edge) => boolean;
}

class Interpreter {
  readonly ends = new Map<string, NodeEnd>();
  readonly #world: RandomWorld;
  #childExpected: Expected | null = null;
  readonly #configs: ReadonlyMap<string, JsonObject>;

  constructor(world: RandomWorld) {
    this.#world = world;
    this.#configs = new Map(
      world.graph.nodes.map(({ nodeId, config }) => [nodeId, isObject(config.extra_config) ? config.extra_config : {}]),
    );
  }

  /** Runs the nodes of one frame until a failure stops it. */
  runFrame(block: Block, around: Surroundings): FrameEnd {
    const left = new Map<string, Left>();
    const blamed = new Set<string>();
    const before = new Set(this.ends.keys());
    for (const node of block) {
      const met = this.#join(node, left, around);
      if (met === 'undecided') continue;
      const leaves = met === 'skipped' ? this.#skip(node, around) : this.#run(node, met.input, around);
      if (leaves === null) blamed.add(node.nodeId);
      else left.set(node.nodeId, leaves);
    }
    if (blamed.size > 0) this.#makePossible(before);
    if (around.entry === null) return { blamed, value: this.#outputOf(block, left) };
    return { blamed, value: this.#returnedOf(around.entry.loop, left) };
  }

  /** The input of the current node. */
  #join(
    { nodeId, kind }: BlockNode,
    left: ReadonlyMap<string, Left>,
    { entry }: Surroundings,
  ): { input: Json } | 'skipped' | 'undecided' {
    if (kind === 'start') return { input: null };
    const incoming = this.#edges((edge) => edge.targetNodeId === nodeId && !passesNoValue.has(edge.edgeLabel));
    const values: [string, Json][] = [];
    let undecided = 0;
    for (const edge of incoming) {
      const source = left.get(edge.sourceNodeId);
      if (edge.edgeLabel === 'loop_body') values.push([edge.sourceNodeId, entry?.item ?? null]);
      else if (source === undefined) undecided += 1;
      else if (source.takes(edge)) values.push([edge.sourceNodeId, source.value]);
    }
    const { join } = this.#config(nodeId);
    const waitsForAll = join === undefined || join === 'all';
    const needed = isObject(join) ? Number(join.count) : 1;
    if (waitsForAll && undecided > 0) return 'undecided';
    if (values.length >= needed) return { input: inputOf(values, kind) };
    return values.length + undecided >= needed ? 'undecided' : 'skipped';
  }

  #skip({ nodeId }: BlockNode, { frame }: Surroundings): Left {
    this.#end(frame, nodeId, { end: 'skipped', attempts: 0 });
    return { value: null, takes: () => false };
  }

  /** Null if it fails and the failure is not handled. */
  #run(node: BlockNode, input: Json, around: Surroundings): Left | null {
    return node.body === null ? this.#runStep(node, input, around) : this.#runLoop(node, node.body, around);
  }

  #runStep(node: BlockNode, input: Json, { frame, loop }: Surroundings): Left | null {
    const { nodeId, kind } = node;
    const config = this.#config(nodeId);
    if (kind === 'workflow') return this.#runChild(node, frame);
    if (kind === 'caller') return this.#runCaller(node, input, { frame, loop });
    const { failures, route } = plannedOutcomeOf(this.#world, node, frame);
    const most = isObject(config.retry) ? Number(config.retry.max_attempts) : 1;
    if (failures >= most) return this.#fail(node, frame, most);
    this.#end(frame, nodeId, { end: 'succeeded', attempts: failures + 1 });
    const seen = seesInput(config) ? input : null;
    if (kind === 'switch') {
      return { value: seen, takes: (edge) => edge.edgeLabel !== 'error' && isTakenBy(edge, route) };
    }
    const value = outputOf(node, seen, loop);
    return { value, takes: (edge) => edge.edgeLabel !== 'error' };
  }

  /** A failure of the sub-workflow fails the step, which is not retried. */
  #runChild(node: BlockNode, frame: string): Left | null {
    const expected = this.#expectedOf(`${frame}/${node.nodeId}`);
    if (expected.status === 'failed') return this.#fail(node, frame, 1);
    this.#end(frame, node.nodeId, { end: 'succeeded', attempts: 1 });
    return { value: expected.output, takes: (edge) => edge.edgeLabel !== 'error' };
  }

  /** All runs of the other workflow are the same, except one that was observed. */
  #expectedOf(name: string): Expected {
    const { child, seen } = this.#world;
    if (child === null) throw new Error('there is no workflow to run');
    const seenOfChild = seen?.child(name);
    if (seenOfChild !== undefined) return interpret({ ...child, seen: seenOfChild });
    this.#childExpected ??= interpret(child);
    return this.#childExpected;
  }

  /** What the calls of a step need of the interpreter. */
  readonly #surroundings: Calling = {
    configOf: (nodeId) => this.#config(nodeId),
    outcomeOf: (tool, frame) => plannedOutcomeOf(this.#world, tool, frame),
    callsOf: (node, name) => plannedCallsOf(this.#world, node, name),
    end: (frame, nodeId, end) => this.#end(frame, nodeId, end),
    begin: () => {
      const before = new Set(this.ends.keys());
      return () => this.#makePossible(before);
    },
  };

  /** Attempt by attempt. What its calls return is its value. */
  #runCaller(node: BlockNode, input: Json, { frame, loop }: Pick<Surroundings, 'frame' | 'loop'>): Left | null {
    const { nodeId } = node;
    const config = this.#config(nodeId);
    const most = isObject(config.retry) ? Number(config.retry.max_attempts) : 1;
    for (let attempt = 1; attempt <= most; attempt += 1) {
      const name = `${frame === '' ? '' : `${frame}/`}${attemptName(nodeId, attempt)}`;
      const values = interpretCalls(node, { name, loop }, this.#surroundings);
      if (values === null) continue;
      this.#end(frame, nodeId, { end: 'succeeded', attempts: attempt });
      const seen = seesInput(config) ? input : null;
      return { value: stepValue(node, [seen, ...values], loop), takes: (edge) => edge.edgeLabel !== 'error' };
    }
    return this.#fail(node, frame, most);
  }

  #fail({ nodeId, kind }: BlockNode, frame: string, attempts: number): Left | null {
    this.#end(frame, nodeId, { end: 'failed', attempts });
    const hasErrorEdge = this.#edges((edge) => edge.sourceNodeId === nodeId && edge.edgeLabel === 'error').length > 0;
    // `on_error` of a loop applies to its items.
    const printed = kind === 'loop' ? undefined : this.#config(nodeId).on_error;
    const wanted = printed ?? 'route';
    const value = { error_code: 'any' };
    if (wanted === 'continue') {
      return { value, takes: (edge) => edge.edgeLabel !== 'error' && edge.edgeType === 'direct' };
    }
    return wanted === 'route' && hasErrorEdge ? { value, takes: (edge) => edge.edgeLabel === 'error' } : null;
  }

  /** Attempt by attempt, item by item. */
  #runLoop(node: BlockNode, body: Block, around: Surroundings): Left | null {
    const { nodeId } = node;
    const config = this.#config(nodeId);
    const most = isObject(config.retry) ? Number(config.retry.max_attempts) : 1;
    for (let attempt = 1; attempt <= most; attempt += 1) {
      const results = this.#runItems(node, body, {
        ...around,
        frame: `${around.frame === '' ? '' : `${around.frame}/`}${attemptName(nodeId, attempt)}`,
      });
      if (results === null) continue;
      this.#end(around.frame, nodeId, { end: 'succeeded', attempts: attempt });
      return { value: results, takes: (edge) => edge.edgeLabel === '' };
    }
    return this.#fail(node, around.frame, most);
  }

  /** The results of a loop's items; null if one of them failed and that ends the loop. */
  #runItems({ nodeId }: BlockNode, body: Block, around: Surroundings): Json[] | null {
    const { on_error, concurrency } = this.#config(nodeId);
    const items = this.#itemsOf(nodeId);
    const before = new Set(this.ends.keys());
    const results: Json[] = [];
    let hasFailed = false;
    for (const [index, item] of items.entries()) {
      const outer = around.loop === null ? {} : { outer: around.loop };
      const loop = { item, index, total: items.length, ...outer };
      const end = this.runFrame(body, { frame: `${around.frame}[${index}]`, entry: { loop: nodeId, item }, loop });
      results.push(end.blamed.size > 0 ? null : end.value);
      hasFailed ||= end.blamed.size > 0 && on_error !== 'continue';
      // One after the other: items after the first failure are not started.
      if (hasFailed && concurrency === 1) break;
    }
    if (hasFailed) this.#makePossible(before);
    return hasFailed ? null : results;
  }

  #itemsOf(nodeId: string): readonly Json[] {
    const { items, batch_size } = this.#config(nodeId);
    const all = Array.isArray(items) ? (items as Json[]) : [];
    if (typeof batch_size !== 'number') return all;
    return all.flatMap((_item, index) => (index % batch_size === 0 ? [all.slice(index, index + batch_size)] : []));
  }

  #returnedOf(loop: string, left: ReadonlyMap<string, Left>): Json {
    const returns = this.#edges((edge) => edge.edgeLabel === 'loop_return' && edge.targetNodeId === loop);
    const values = returns.flatMap((edge): [string, Json][] => {
      const source = left.get(edge.sourceNodeId);
      return source?.takes({ ...edge, edgeLabel: '' }) === true ? [[edge.sourceNodeId, source.value]] : [];
    });
    return values.length > 1 ? Object.fromEntries(values) : (values[0]?.[1] ?? null);
  }

  /** The value of the node without taken outgoing edges; of several, keyed by node id. */
  #outputOf(block: Block, left: ReadonlyMap<string, Left>): Json {
    const last = block.flatMap(({ nodeId }): [string, Json][] => {
      const source = left.get(nodeId);
      const hasRun = source !== undefined && this.ends.get(`/${nodeId}`)?.end !== 'skipped';
      const leadsOn = this.#edges((edge) => edge.sourceNodeId === nodeId && edge.edgeLabel !== 'loop_body').some(
        (edge) => source?.takes(edge),
      );
      return hasRun && !leadsOn ? [[nodeId, source.value]] : [];
    });
    return last.length === 1 ? (last[0]?.[1] ?? null) : Object.fromEntries(last);
  }

  #end(frame: string, nodeId: string, end: Omit<NodeEnd, 'isCertain'>): void {
    this.ends.set(`${frame}/${nodeId}`, { ...end, isCertain: true });
  }

  /** Later results need not occur: a parallel failure may have come first. */
  #makePossible(before: ReadonlySet<string>): void {
    for (const [name, end] of this.ends) if (!before.has(name)) this.ends.set(name, { ...end, isCertain: false });
  }

  #config(nodeId: string): JsonObject {
    return this.#configs.get(nodeId) ?? {};
  }

  /** By priority, highest first, then by id. */
  #edges(isWanted: (edge: Edge) => boolean): readonly Edge[] {
    return this.#world.graph.edges.filter(isWanted).sort((a, b) => b.priority - a.priority || a.id - b.id);
  }
}

/** The beginning of the names of an attempt's frames. */
export function attemptName(nodeId: string, attempt: number): string {
  return attempt === 1 ? nodeId : `${nodeId}#${attempt}`;
}

/** A direct edge is taken for any route. */
function isTakenBy({ edgeType, conditionValue }: Edge, route: string): boolean {
  return edgeType === 'direct' || conditionValue === route;
}

function inputOf(values: readonly [string, Json][], kind: BlockNode['kind']): Json {
  if (kind === 'gather') return values.map(([, value]) => value);
  return values.length === 1 ? (values[0]?.[1] ?? null) : Object.fromEntries(values);
}

/** The same, as far as they occur. */
export function asPossible(ends: ReadonlyMap<string, NodeEnd>): ReadonlyMap<string, NodeEnd> {
  return new Map([...ends].map(([name, end]) => [name, { ...end, isCertain: false }]));
}
