import type { Trigger } from './execution.ts';
import type { Scope } from './expression/scope.ts';
import type { Json, JsonObject } from './json.ts';
import { own } from './json.ts';
import type { RunState } from './run-state.ts';

/** What a run's expressions can name beside its nodes. */
export interface RunFacts {
  readonly trigger: Trigger;
  /** `run.id`, `run.started_at`, `run.workflow`. */
  readonly run: JsonObject;
}

/** Names that mean the same in every workflow; a node with such an id is reached by `nodes.<id>` only. */
export const reservedNames = ['trigger', 'input', 'nodes', 'run', 'vars', 'loop'] as const;

/** What the expressions of one run see. Reads the state as it grows, so one scope serves all steps. */
export class RunScope implements Scope {
  readonly #state: RunState;
  readonly #facts: RunFacts;

  constructor(state: RunState, facts: RunFacts) {
    this.#state = state;
    this.#facts = facts;
  }

  lookup(name: string): Json | undefined {
    switch (name) {
      case 'trigger':
        return { payload: this.#facts.trigger.payload, text: this.#facts.trigger.text };
      case 'input':
        return this.#facts.trigger.payload;
      case 'nodes':
        return this.#state.outputs;
      case 'run':
        return this.#facts.run;
      case 'vars':
        return {};
      default:
        return own(this.#state.outputs, name);
    }
  }

  names(): readonly string[] {
    return ['trigger', 'input', 'nodes', 'run', 'vars', ...this.#state.steps.keys()];
  }

  explain(path: readonly string[]): string | undefined {
    if (path[0] === 'loop') return "'loop' exists only inside the body of a loop";
    const nodeId = path[0] === 'nodes' ? path[1] : path[0];
    const step = nodeId === undefined ? undefined : this.#state.steps.get(nodeId);
    if (step === undefined) return undefined;
    if (step.phase === 'skipped') return `node '${nodeId}' was skipped in this run, so it has no output`;
    if (step.phase === 'failed') return `node '${nodeId}' failed, so of its ports only 'error' has a value`;
    if (step.phase !== 'succeeded') return `node '${nodeId}' has not run yet when this expression is evaluated`;
    return undefined;
  }
}
