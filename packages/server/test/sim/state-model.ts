import {
  isObject,
  type JournalEntry,
  type Json,
  type JsonObject,
  type LiveEvent,
  type Published,
} from '@millrace/core';
import type { RandomWorld } from '@millrace/core/testkit';

/** A stored value: the workflow whose own it is, or null for a value that all runs share. */
export interface ModelKey {
  readonly workflowId: number | null;
  readonly key: string;
}

type StepEnd = Extract<LiveEvent, { readonly type: 'node_status' }>;

/**
 * What the state steps of a world must leave. Their changes are applied to plain values in the order of commits, which
 * is the order of events: so each committed step changes its value exactly once, and sees the one before it.
 */
export class StateModel {
  readonly violations: string[] = [];
  /** By workflow and key. */
  readonly #values = new Map<string, Json>();
  /** How often the event of a step was published. */
  readonly #changes = new Map<string, number>();
  readonly #configs: ReadonlyMap<string, JsonObject>;
  /** What the steps of each run read as the value of the variable. */
  readonly #greetings = new Map<string, Json>();
  /** Keys that steps may change. */
  readonly #keys = new Map<string, ModelKey>();

  constructor({ graph, child }: Pick<RandomWorld, 'graph' | 'child'>) {
    const nodes = [...graph.nodes, ...(child?.graph.nodes ?? [])].filter(
      ({ componentType }) => componentType === 'state',
    );
    this.#configs = new Map(nodes.map(({ nodeId, config }) => [nodeId, config.extra_config as JsonObject]));
  }

  /** Applies the change of a state step that was committed. */
  published({ workflowId, event }: Published): void {
    if (event.type !== 'node_status' || event.status !== 'success') return;
    const config = this.#configs.get(event.nodeId);
    if (config === undefined) return;
    const name = `${event.executionId} ${event.frame}/${event.nodeId}`;
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
    const outputs = outputsOf(event);
    const value = readsVariable(config) ? this.#greetingOf(event.executionId, outputs) : (config.value ?? null);
    this.#apply(name, { config: { ...config, value }, key: keyOf(workflowId, config), outputs });
  }

  /** What a step read as the variable: the same as the steps of its run before it. */
  #greetingOf(executionId: string, outputs: Json): Json {
    const stored = isObject(outputs) ? (outputs.value ?? null) : null;
    const given = Array.isArray(stored) ? (stored.at(-1) as Json) : stored;
    if (given !== 'hello' && given !== 'changed') return 'hello or changed';
    const known = this.#greetings.get(executionId) ?? given;
    this.#greetings.set(executionId, known);
    return known;
  }

  #apply(name: string, { config, key, outputs }: Change): void {
    const id = JSON.stringify(key);
    this.#keys.set(id, key);
    const before = this.#values.get(id);
    const expected = expectedOf(config, before);
    if (JSON.stringify(outputs) !== JSON.stringify(expected.outputs)) {
      const [given, wanted] = [JSON.stringify(outputs), JSON.stringify(expected.outputs)];
      this.violations.push(`${name} changed state to ${given}, not ${wanted}`);
    }
    if (expected.after === undefined) this.#values.delete(id);
    else this.#values.set(id, expected.after);
  }

  /** The violations at the end, when the journals and the stored values are known. */
  async allViolations(
    journals: ReadonlyMap<string, readonly JournalEntry[]>,
    read: (key: ModelKey) => Promise<Json>,
  ): Promise<readonly string[]> {
    const violations = [...this.violations];
    const journaled = new Map<string, number>();
    for (const [id, entries] of journals) {
      for (const { fact } of entries) {
        if (fact.kind !== 'step_succeeded' || !this.#configs.has(fact.nodeId)) continue;
        const name = `${id} ${fact.frame}/${fact.nodeId}`;
        journaled.set(name, (journaled.get(name) ?? 0) + 1);
      }
    }
    for (const name of new Set([...journaled.keys(), ...this.#changes.keys()])) {
      const [facts, events] = [journaled.get(name) ?? 0, this.#changes.get(name) ?? 0];
      if (facts !== 1 || events !== 1) violations.push(`${name} has ${facts} facts and ${events} events`);
    }
    for (const [id, key] of this.#keys) {
      const [stored, wanted] = [JSON.stringify(await read(key)), JSON.stringify(this.#values.get(id) ?? null)];
      if (stored !== wanted) violations.push(`state ${id} is ${stored}, not ${wanted}`);
    }
    return violations;
  }
}

/** Whether an operation stores the value of a variable. */
function readsVariable({ operation }: JsonObject): boolean {
  return operation === 'set' || operation === 'append';
}

interface Change {
  readonly config: JsonObject;
  readonly key: ModelKey;
  readonly outputs: Json;
}

function keyOf(workflowId: number, { key, scope }: JsonObject): ModelKey {
  return { workflowId: scope === undefined ? workflowId : null, key: String(key) };
}

function outputsOf(event: StepEnd): Json {
  return 'output' in event && isObject(event.output) ? event.output : null;
}

/** The operations of the component, written once more: without expiry, without limits and without errors. */
function expectedOf({ operation, value = null }: JsonObject, before: Json | undefined): Expected {
  const becomes = (after: Json): Expected => ({ outputs: { value: after, is_new: before === undefined }, after });
  switch (operation) {
    case 'set':
      return becomes(value);
    case 'increment':
      return becomes(Number(before ?? 0) + Number(value));
    case 'append':
      return becomes([...(Array.isArray(before) ? (before as Json[]) : []), value]);
    case 'first_seen':
      return before === undefined ? becomes(value) : { outputs: { value: before, is_new: false }, after: before };
    default:
      return { outputs: { value: before ?? null, is_new: false }, after: operation === 'delete' ? undefined : before };
  }
}

interface Expected {
  readonly outputs: JsonObject;
  /** Undefined for no value. */
  readonly after: Json | undefined;
}
