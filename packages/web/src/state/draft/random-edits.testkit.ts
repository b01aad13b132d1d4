import {
  type EdgeFields,
  emptyConfig,
  type Json,
  type JsonObject,
  type Node,
  type NodeFields,
} from '@millrace/core/editing';
import type { DraftOperation } from './operation.ts';
import { keyIn, type View } from './view.ts';

/** Random numbers from a seed, so that a failure can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to one less than the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(list: readonly T[]): T | undefined {
    return list[this.below(Math.max(1, list.length))];
  }

  isOne(of: number): boolean {
    return this.below(of) === 0;
  }
}

const types = ['template', 'switch', 'agent', 'ai_model'];
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** Draws the edits of one user. Each has a number that no other edit has, as a label or a priority. */
export class RandomEdits {
  readonly random: Random;
  readonly #user: string;
  #count = 0;

  constructor(seed: number, user: string) {
    this.random = new Random(seed);
    this.#user = user;
  }

  /** Unique for each edit of each user. */
  next(): number {
    this.#count += 1;
    return this.#count * 2 + (this.#user === 'A' ? 0 : 1);
  }

  get id(): string {
    return `${this.#user}${this.next()}`;
  }

  draw(view: View): readonly DraftOperation[] {
    const { random } = this;
    switch (random.below(10)) {
      case 0:
      case 1:
        return [this.#node(random.of(names) ?? 'a')];
      case 2:
        return this.paste(1 + random.below(4));
      case 3:
        return this.#moves(view);
      case 4:
        return this.#settings(view);
      case 5:
        return this.#rename(view);
      case 6:
        return this.#deletions(view);
      case 7:
        return this.#edgeChanges(view);
      default:
        return [this.#edge(this.#name(view), this.#name(view))];
    }
  }

  /** Nodes with new names, and edges between them. */
  paste(count: number): readonly DraftOperation[] {
    const pasted = Array.from({ length: count }, () => `p${this.#user}${this.next()}`);
    const edges = pasted.slice(1).map((name, index) => this.#edge(pasted[index] ?? '', name));
    return [...pasted.map((name) => this.#node(name)), ...edges];
  }

  #node(nodeId: string): DraftOperation {
    const node: NodeFields = {
      nodeId,
      label: `label ${this.next()}`,
      componentType: this.random.of(types) ?? 'template',
      isEntryPoint: false,
      interruptBefore: false,
      interruptAfter: false,
      positionX: this.random.below(1000),
      positionY: 0,
      config: { ...emptyConfig, extra_config: this.#extra() } as JsonObject,
      subworkflowId: null,
      codeBlockId: null,
    };
    return { op: 'create_node', node };
  }

  #extra(): JsonObject {
    const named = this.random.of(names) ?? 'a';
    const entries: readonly (readonly [string, Json])[] = [
      ['text', `Hello, {{ ${named}.output }}!`],
      ['rules', [{ id: named, field: `${named}.output`, operator: 'equals', value: 1 }]],
      ['count', this.random.below(5)],
      ['deep', { list: [`{{ nodes.${named}.text }}`] }],
    ];
    return Object.fromEntries(entries.filter(() => this.random.isOne(2)));
  }

  #edge(sourceNodeId: string, targetNodeId: string): DraftOperation {
    const label = this.random.of(['', '', 'llm', 'llm', 'tool'] as const) ?? '';
    const isConditional = this.random.isOne(5);
    const edge: EdgeFields = {
      sourceNodeId,
      targetNodeId,
      edgeType: isConditional ? 'conditional' : 'direct',
      edgeLabel: isConditional ? '' : label,
      conditionMapping: null,
      conditionValue: isConditional ? 'yes' : '',
      priority: this.next(),
    };
    return { op: 'create_edge', key: `key-${this.#user}${this.next()}`, edge };
  }

  #anyNode(view: View): Node | undefined {
    return this.random.of(view.graph.nodes);
  }

  #name(view: View): string {
    return this.#anyNode(view)?.nodeId ?? 'a';
  }

  #moves(view: View): readonly DraftOperation[] {
    return view.graph.nodes
      .filter(() => this.random.isOne(3))
      .map(({ nodeId }) => ({
        op: 'update_node',
        nodeId,
        changes: { positionX: this.random.below(1000), positionY: this.random.below(1000) },
      }));
  }

  #settings(view: View): readonly DraftOperation[] {
    const nodeId = this.#name(view);
    if (this.random.isOne(2)) return [{ op: 'update_node', nodeId, changes: { label: `label ${this.next()}` } }];
    const removed = this.random.isOne(2) ? { text: null } : {};
    const changes = { config: { extra_config: { ...this.#extra(), ...removed } }, label: `label ${this.next()}` };
    return [{ op: 'update_node', nodeId, changes }];
  }

  #rename(view: View): readonly DraftOperation[] {
    const nodeId = this.random.of(names) ?? 'a';
    return [{ op: 'update_node', nodeId: this.#name(view), changes: { nodeId, label: `label ${this.next()}` } }];
  }

  #deletions(view: View): readonly DraftOperation[] {
    const gone = new Set(Array.from({ length: 1 + this.random.below(2) }, () => this.#name(view)));
    return [...gone].map((nodeId) => ({ op: 'delete_node', nodeId }));
  }

  #edgeChanges(view: View): readonly DraftOperation[] {
    const edge = this.random.of(view.graph.edges);
    if (edge === undefined) return [];
    const key = keyIn(view, edge.id);
    switch (this.random.below(4)) {
      case 0:
        return [{ op: 'update_edge', key, changes: { priority: this.next() } }];
      case 1:
        return [{ op: 'update_edge', key, changes: { targetNodeId: this.#name(view), priority: this.next() } }];
      case 2: {
        const more = this.random.of(view.graph.edges) ?? edge;
        const keys = new Set([key, keyIn(view, more.id)]);
        return [...keys].map((one) => ({ op: 'delete_edge', key: one }));
      }
      default:
        return [{ op: 'delete_edge', key }];
    }
  }
}
