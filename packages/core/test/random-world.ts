import type { Edge, Graph, Node } from '../src/graph/graph.ts';
import type { JsonObject } from '../src/json.ts';
import { node } from './graphs.ts';

/** Draws an integer from 0 to the given one, inclusive; the caller supplies the source of randomness. */
export type Draw = (most: number) => number;

/** The components at which a run may wait for a time, a person, or another run. */
type PauseKind = 'wait' | 'human_confirmation' | 'workflow';

/** Features of some worlds only. */
type ExtraKind = PauseKind | 'once' | 'state' | 'caller';

const toolKinds = ['tool', 'keyed_tool', 'once_tool'] as const;

/** A node of a random graph, with its body if it is a loop, and its tools if it calls some. */
export interface BlockNode {
  readonly nodeId: string;
  readonly kind: 'start' | 'step' | 'keyed' | 'switch' | 'gather' | 'loop' | ExtraKind | (typeof toolKinds)[number];
  readonly body: Block | null;
  readonly tools: readonly BlockNode[];
  /** Whether its attempts fail now and then. */
  readonly isFlaky: boolean;
}

/** Nodes of one frame, in an order in which all edges between them point forwards. */
export type Block = readonly BlockNode[];

/** A random graph, and how its steps behave. */
export interface RandomWorld {
  readonly graph: Graph;
  readonly root: Block;
  readonly salt: number;
  /** The world that its nodes of the type `workflow` run. */
  readonly child: RandomWorld | null;
  /** Whether steps fail often. */
  readonly isFrail?: boolean;
  /** Facts about a run that do not follow from its random choices, for checking runs with more events. */
  readonly seen?: Seen;
}

/** Observations of one run, by frame and node. */
export interface Seen {
  /** The number of failed attempts of a step; undefined for the random number. */
  readonly failures: (name: string) => number | undefined;
  /** The observed sub-workflow of a node; undefined if nothing else is known of it. */
  readonly child: (name: string) => Seen | undefined;
}

/** The behaviour of a step in a frame: how many of its attempts fail, and the route of a switch. */
export interface PlannedOutcome {
  readonly failures: number;
  readonly route: string;
}

/** Deterministic: it depends only on the names and the salt. */
export function plannedOutcomeOf(
  world: Pick<RandomWorld, 'salt' | 'seen' | 'isFrail'>,
  { nodeId, isFlaky }: BlockNode,
  frame: string,
): PlannedOutcome {
  const number = hash(`${world.salt} ${frame} ${nodeId}`);
  // One in four fails once, one in four more often than any policy allows, or two in four.
  const drawn = isFlaky ? ([0, world.isFrail ? 9 : 0, 1, 9][number % 4] ?? 0) : 0;
  const failures = world.seen?.failures(`${frame}/${nodeId}`) ?? drawn;
  return { failures, route: ['x', 'y', 'z'][(number >>> 8) % 3] ?? 'x' };
}

/** A call that a node makes. */
export interface PlannedCall {
  readonly tool: BlockNode;
  /** A person is asked before it. */
  readonly asks: boolean;
}

/**
 * The calls of a node, in rounds: all calls of one have ended before the next begins.
 * @param name the attempt's name, which is the beginning of the names of its frames
 */
export function plannedCallsOf({ salt }: Pick<RandomWorld, 'salt'>, { tools }: BlockNode, name: string): PlannedCalls {
  const number = hash(`${salt} calls of ${name}`);
  const round = (index: number): readonly PlannedCall[] =>
    Array.from({ length: 1 + (hash(`${number} ${index}`) % maxCallsPerRound) }, (_none, place) => {
      const drawn = hash(`${number} ${index} ${place}`);
      return { tool: tools[drawn % tools.length] as BlockNode, asks: (drawn >>> 8) % 6 === 0 };
    });
  const rounds = Array.from({ length: number % (maxRounds + 1) }, (_none, index) => round(index));
  return { rounds, concurrency: 1 + ((number >>> 8) % 3) };
}

export interface PlannedCalls {
  readonly rounds: readonly (readonly PlannedCall[])[];
  readonly concurrency: number;
}

const maxRounds = 3;
const maxCallsPerRound = 3;
/** More calls than an attempt of any node makes. */
export const mostCalls = maxRounds * maxCallsPerRound;

/** The nodes of a block, including those in bodies, and tools. */
export function nodesIn(block: Block): readonly BlockNode[] {
  return block.flatMap((node) => [node, ...node.tools, ...nodesIn(node.body ?? [])]);
}

/** A world in a few lines, for debugging. */
export function sketchOf({ graph, salt, child }: RandomWorld): string {
  const nodes = graph.nodes.map(({ nodeId, componentType, config, interruptBefore, interruptAfter }) => {
    const interrupts = `${interruptBefore ? ' asks before' : ''}${interruptAfter ? ' asks after' : ''}`;
    return `${nodeId}: ${componentType} ${JSON.stringify(config.extra_config)}${interrupts}`;
  });
  const edges = graph.edges.map(({ sourceNodeId, targetNodeId, edgeLabel, conditionValue, priority }) => {
    const label = `${edgeLabel}${conditionValue === '' ? '' : `[${conditionValue}]`}`;
    return `${sourceNodeId} -${label}-> ${targetNodeId}${priority === 0 ? '' : ' first'}`;
  });
  return [`salt ${salt}`, ...nodes, ...edges, ...(child === null ? [] : ['child:', sketchOf(child)])].join('\n');
}

/** A hash of a text: FNV-1a, which spreads well enough for tests. */
export function hash(text: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    number = Math.imul(number ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV are the weakest.
  return (number ^ (number >>> 15)) >>> 0;
}

/** Draws a graph of switches, joins, nested loops, error edges and failing steps. */
export function randomWorld(draw: Draw): RandomWorld {
  return {
    ...drawGraph(draw, { prefix: 'n', extraKinds: [], depth: 0, flakyOneIn: 3 }),
    salt: draw(0xffff),
    child: null,
  };
}

export const worldKinds = ['stateless', 'stateful', 'calling'] as const;

/** Whether the runs of a world have steps that change values of state, or steps that call others as agents call tools. */
export type WorldKind = (typeof worldKinds)[number];

/** The same, with nodes that wait for a time, a person or another random run, and steps that run only once. */
export function randomWorldWithPauses(draw: Draw, kind: WorldKind): RandomWorld {
  return drawPausing(draw, { extraKinds: ['workflow'], flakyOneIn: 3, kind });
}

/** The same, but most runs fail, often in a sub-workflow. */
export function frailWorld(draw: Draw, kind: WorldKind): RandomWorld {
  const extraKinds = ['workflow', 'workflow', 'workflow', 'workflow'] as const;
  const world = drawPausing(draw, { extraKinds, flakyOneIn: 1, kind });
  return { ...world, isFrail: true, child: world.child && { ...world.child, isFrail: true } };
}

const kindsOf = {
  stateless: [],
  stateful: ['state', 'state', 'state'],
  calling: ['caller', 'caller', 'caller'],
} as const satisfies Record<WorldKind, readonly ExtraKind[]>;

interface PausingDrawing extends Pick<Drawing, 'extraKinds' | 'flakyOneIn'> {
  readonly kind: WorldKind;
}

function drawPausing(draw: Draw, { extraKinds, flakyOneIn, kind }: PausingDrawing): RandomWorld {
  const salt = draw(0xffff);
  const both = ['wait', 'human_confirmation', 'once', ...kindsOf[kind]] as const;
  const child = drawGraph(draw, { prefix: 'c', extraKinds: both, depth: 1, flakyOneIn });
  const main = drawGraph(draw, { prefix: 'n', extraKinds: [...both, ...extraKinds], depth: 0, flakyOneIn });
  return { ...main, salt, child: { ...child, salt, child: null } };
}

interface Drawing {
  /** Of the node ids. */
  readonly prefix: string;
  readonly extraKinds: readonly ExtraKind[];
  readonly depth: number;
  /** One in this many steps fails sometimes. */
  readonly flakyOneIn: number;
}

function drawGraph(draw: Draw, drawing: Drawing): Pick<RandomWorld, 'graph' | 'root'> {
  const maker = new GraphMaker(draw, drawing);
  const root = maker.makeBlock(drawing.depth, { size: 2 + draw(drawing.depth === 0 ? 6 : 2), loop: null });
  return { graph: { nodes: maker.nodes, edges: maker.edges }, root };
}

/** Loops nest at most three deep: each level multiplies the steps. */
const maxDepth = 2;

class GraphMaker {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  readonly #draw: Draw;
  readonly #drawing: Drawing;
  readonly #identities = new Set<string>();

  constructor(draw: Draw, drawing: Drawing) {
    this.#draw = draw;
    this.#drawing = drawing;
  }

  makeBlock(depth: number, { size, loop }: { readonly size: number; readonly loop: string | null }): Block {
    const block: BlockNode[] = [];
    for (let index = 0; index < size; index += 1) {
      const made = this.#makeNode(depth, loop === null && index === 0);
      this.#connect(made, block, loop);
      block.push(made);
    }
    const last = block.at(-1);
    if (loop === null || last === undefined) return block;
    const returning = new Set([last.nodeId, ...(this.#chance(3) ? [this.#oneOf(block).nodeId] : [])]);
    for (const source of returning) this.#addEdge({ source, target: loop, label: 'loop_return' });
    return block;
  }

  #makeNode(depth: number, isStart: boolean): BlockNode {
    const kind = isStart ? 'start' : this.#oneOf(this.#kindsAt(depth));
    const nodeId = `${this.#drawing.prefix}${this.nodes.length}`;
    const mayFail = kind === 'step' || kind === 'keyed' || kind === 'switch' || kind === 'gather';
    const isFlaky = mayFail && this.#chance(this.#drawing.flakyOneIn);
    const join = isStart || kind === 'wait' ? {} : this.#join();
    const made = node(nodeId, kind, { ...this.#configOf(kind, isFlaky), ...join });
    this.nodes.push({ ...made, ...this.#interrupts(kind) });
    const body = kind === 'loop' ? this.makeBlock(depth + 1, { size: 1 + this.#draw(3), loop: nodeId }) : null;
    const tools = kind === 'caller' ? this.#makeTools(nodeId) : [];
    return { nodeId, kind, body, tools, isFlaky };
  }

  /** The tools of a node, and the model that each calling node has. */
  #makeTools(caller: string): readonly BlockNode[] {
    this.nodes.push(node(`${caller}m`, 'model'));
    this.#addEdge({ source: `${caller}m`, target: caller, label: 'llm' });
    return Array.from({ length: 1 + this.#draw(2) }, (_none, index) => {
      const nodeId = `${caller}t${index}`;
      const kind = this.#oneOf(toolKinds);
      const isFlaky = kind !== 'once_tool' && this.#chance(this.#drawing.flakyOneIn);
      this.nodes.push(node(nodeId, kind, isFlaky ? this.#flakyConfig() : {}));
      this.#addEdge({ source: nodeId, target: caller, label: 'tool' });
      return { nodeId, kind, body: null, tools: [], isFlaky };
    });
  }

  #kindsAt(depth: number): readonly BlockNode['kind'][] {
    const loops: readonly BlockNode['kind'][] = depth < maxDepth ? ['loop'] : [];
    return ['step', 'step', 'keyed', 'switch', 'gather', ...loops, ...this.#drawing.extraKinds];
  }

  #configOf(kind: BlockNode['kind'], isFlaky: boolean): JsonObject {
    switch (kind) {
      case 'loop':
        return this.#loopConfig();
      case 'wait':
        // The shorter wait stays with the owner, the longer one parks the run.
        return { duration: this.#oneOf([2, 6]) };
      case 'state':
        return this.#stateConfig();
      case 'caller':
        return this.#chance(3) ? { retry: { max_attempts: 2, delay_ms: 5 } } : {};
      case 'workflow':
        return { workflow: 'child', ...(this.#chance(2) && { on_error: 'continue' }) };
      default:
        return isFlaky ? this.#flakyConfig() : {};
    }
  }

  /** Sometimes an approval is required before or after a step. */
  #interrupts(kind: BlockNode['kind']): Partial<Pick<Node, 'interruptBefore' | 'interruptAfter'>> {
    if (this.#drawing.extraKinds.length === 0 || kind === 'start') return {};
    return { interruptBefore: this.#chance(10), interruptAfter: this.#chance(10) };
  }

  #loopConfig(): JsonObject {
    const items = Array.from({ length: this.#draw(4) }, (_none, index) => index * 10);
    return {
      items,
      concurrency: 1 + this.#draw(2),
      on_error: this.#oneOf(['stop', 'continue']),
      ...(this.#chance(4) && { batch_size: 2 }),
      ...(this.#chance(4) && { retry: { max_attempts: 2, delay_ms: 5 } }),
    };
  }

  /** A few keys of different types, so that steps compete for each. */
  #stateConfig(): JsonObject {
    const shared = this.#chance(2) ? { scope: 'shared' } : {};
    const operation = this.#oneOf(['increment', 'increment', 'append', 'append', 'first_seen', 'set', 'delete', 'get']);
    switch (operation) {
      case 'increment':
        return { operation, key: 'counter', value: this.#oneOf([1, 5]), ...shared };
      case 'append':
        return { operation, key: 'list', value: '{{ vars.greeting }}', ...shared };
      case 'first_seen':
        return { operation, key: 'mark', value: this.nodes.length, ...shared };
      case 'set':
        return { operation, key: 'position', value: '{{ vars.greeting }}', ...shared };
      default:
        return { operation, key: 'position', ...shared };
    }
  }

  #flakyConfig(): JsonObject {
    const onError = this.#oneOf([null, null, 'continue', 'route', 'stop']);
    return {
      retry: { max_attempts: 1 + this.#draw(2), delay_ms: this.#oneOf([0, 5]) },
      ...(onError !== null && { on_error: onError }),
    };
  }

  #join(): JsonObject {
    const join = this.#oneOf([null, null, 'all', 'any', 2]);
    if (join === null) return {};
    return { join: typeof join === 'number' ? { count: join } : join };
  }

  /** From the loop, or from some of the nodes before it. */
  #connect(target: BlockNode, before: Block, loop: string | null): void {
    if (loop !== null && (before.length === 0 || this.#chance(6))) {
      this.#addEdge({ source: loop, target: target.nodeId, label: 'loop_body' });
    }
    const count = before.length === 0 ? 0 : 1 + this.#draw(Math.min(2, before.length - 1));
    for (let edge = 0; edge < count; edge += 1) {
      const source = this.#oneOf(before);
      const mayFail = source.isFlaky || ['loop', 'workflow', 'once', 'caller'].includes(source.kind);
      const isError = mayFail && this.#chance(3);
      const route = source.kind === 'switch' && !this.#chance(5) ? this.#oneOf(['x', 'y']) : '';
      this.#addEdge({ source: source.nodeId, target: target.nodeId, label: isError ? 'error' : '', route });
    }
  }

  #addEdge({ source, target, label, route = '' }: Link): void {
    const conditionValue = label === '' ? route : '';
    const identity = [source, target, label, conditionValue].join(' ');
    if (this.#identities.has(identity)) return;
    this.#identities.add(identity);
    this.edges.push({
      id: this.edges.length + 1,
      sourceNodeId: source,
      targetNodeId: target,
      edgeType: conditionValue === '' ? 'direct' : 'conditional',
      edgeLabel: label,
      conditionMapping: null,
      conditionValue,
      priority: this.#chance(4) ? 1 : 0,
    });
  }

  /** True one time in this many. */
  #chance(times: number): boolean {
    return this.#draw(times - 1) === 0;
  }

  #oneOf<T>(choices: readonly T[]): T {
    const chosen = choices[this.#draw(choices.length - 1)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
  readonly label: Edge['edgeLabel'];
  readonly route?: string;
}
