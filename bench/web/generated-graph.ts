/** Of each 100 nodes of the flow: agents, whose model and memory are further nodes, and switches with two routes. */
const share = { agents: 14, switches: 8 };

/** The space from one card to the next: cards are 216 px wide, and an agent has nodes below it. */
const step = { x: 296, y: 240 };
/** Below an agent: its model on the left, its memory on the right. */
const slotPlaces = { model: [-120, 136], memory: [120, 136] } as const;

interface Options {
  /** Equal seeds give equal graphs. */
  readonly seed?: number;
  /**
   * The graph is the body of a loop over `trigger.payload.rounds`, and its steps call this address: an execution can be
   * paced from outside. Without it, the graph is only drawn.
   */
  readonly calls?: string;
}

/** The text of a workflow with so many nodes, as people build them: chains that agents and switches are part of. */
export function generatedGraph(name: string, size: number, { seed = 1, calls }: Options = {}): string {
  const graph = new Sketch(randomFrom(seed), calls);
  const trigger = graph.add('start', 'type: trigger_webhook', [-step.x, 0]);
  const start =
    calls === undefined ? trigger : graph.add('loop', 'type: loop, items: "{{ trigger.payload.rounds }}"', [0, 0]);
  if (start !== trigger) graph.connect(trigger, start);
  const lanes = Math.max(1, Math.round(Math.sqrt(size / 3)));
  const perLane = Math.ceil((size - graph.size) / lanes);
  for (let lane = 0; lane < lanes && graph.size < size; lane += 1) {
    graph.addLane(start, lane, Math.min(perLane, size - graph.size));
  }
  return graph.text(name);
}

/** A graph that grows from left to right, one lane below the other. */
class Sketch {
  readonly #random: () => number;
  readonly #calls: string | undefined;
  readonly #nodes: string[] = [];
  readonly #edges: string[] = [];
  readonly #layout: string[] = [];

  constructor(random: () => number, calls: string | undefined) {
    this.#random = random;
    this.#calls = calls;
  }

  get size(): number {
    return this.#nodes.length;
  }

  add(id: string, config: string, [x, y]: readonly [number, number]): string {
    this.#nodes.push(`  - {id: ${id}, ${config}}`);
    this.#layout.push(`  ${id}: [${x}, ${y}]`);
    return id;
  }

  connect(source: string, target: string, label = ''): void {
    this.#edges.push(`  - ${source} ${label === '' ? '->' : `-${label}->`} ${target}`);
  }

  /** A chain of nodes; a switch also leads past the node after it. */
  addLane(start: string, lane: number, size: number): void {
    const end = this.size + size;
    const isLooped = this.#calls !== undefined;
    let [before, passed]: [string, string | null] = [start, null];
    for (let column = 1; this.size < end; column += 1) {
      const place = [column * step.x, lane * step.y] as const;
      const kind = this.#kind(end - this.size);
      const id = this.add(`${kind}_${this.size}`, this.#config(kind), place);
      const isSwitch = before.startsWith('switch');
      const first = isLooped && before === start ? 'loop_body' : '';
      this.connect(before, id, isSwitch ? '[high]' : first);
      if (passed !== null) this.connect(passed, id, '[__other__]');
      passed = isSwitch ? before : null;
      if (kind === 'agent') this.#addSlots(id, place);
      before = id;
    }
    if (isLooped) this.connect(before, start, 'loop_return');
  }

  text(name: string): string {
    return [`name: ${name}`, 'nodes:', ...this.#nodes, 'edges:', ...this.#edges, 'layout:', ...this.#layout, ''].join(
      '\n',
    );
  }

  #kind(left: number): string {
    const drawn = this.#random() * 100;
    if (drawn < share.switches) return left > 2 ? 'switch' : 'template';
    if (drawn < share.switches + share.agents && this.#calls === undefined && left > 3) return 'agent';
    if (this.#calls !== undefined) return 'http';
    return drawn < 60 ? 'template' : drawn < 85 ? 'transform' : 'http';
  }

  #config(kind: string): string {
    const rule = `{id: high, field: trigger.payload.total, operator: gt, value: ${Math.round(this.#random() * 1000)}}`;
    switch (kind) {
      case 'agent':
        return 'type: agent, prompt: Answer briefly.';
      case 'switch':
        return `type: switch, rules: [${rule}], enable_fallback: true`;
      case 'transform':
        return 'type: transform, expression: trigger.payload.total * 2';
      case 'http':
        return `type: http_request, url: "${this.#calls ?? 'https://example.com/orders'}"`;
      default:
        return 'type: template, template: "Order {{ trigger.payload.total }}"';
    }
  }

  #addSlots(agent: string, [x, y]: readonly [number, number]): void {
    const { model, memory } = slotPlaces;
    this.connect(
      this.add(`model_${this.size}`, 'type: ai_model, model_name: large', [x + model[0], y + model[1]]),
      agent,
      'llm',
    );
    const turns = this.add(`memory_${this.size}`, 'type: conversation_memory', [x + memory[0], y + memory[1]]);
    this.connect(turns, agent, 'memory');
  }
}

/** The generator `mulberry32`: numbers from 0 to 1 that depend only on the seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
