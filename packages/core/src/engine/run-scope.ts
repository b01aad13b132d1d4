import { mediaType } from '../base/media-type.ts';
import { argumentsOf } from '../component/tools/calls.ts';
import type { Scope } from '../expression/scope.ts';
import type { Json, JsonObject } from '../json.ts';
import { own } from '../json.ts';
import type { Trigger } from './execution.ts';
import { type FrameState, frameAround, type RunState, type StepState } from './run-state.ts';

/** The names that a run's expressions can use besides its nodes. */
export interface RunFacts {
  readonly trigger: Trigger;
  /** `run.id`, `run.started_at`, `run.workflow`. */
  readonly run: JsonObject;
  /** The variables as they were when the run started; omitted if its workflow names none. */
  readonly vars?: { readonly values: JsonObject; readonly secrets: readonly string[] } | undefined;
  /**
   * The outputs of a node that are known before it has run, such as callback URLs; omitted if no step can be answered.
   */
  readonly links?: (step: StepState) => JsonObject;
}

/**
 * The scope of expressions in one frame of a run: the outputs of the frame and of the frames around it, never those of
 * another iteration. Reads the current state, so one scope serves all steps of a frame.
 */
export class RunScope implements Scope {
  readonly #state: RunState;
  readonly #frame: FrameState;
  readonly #facts: RunFacts;

  constructor(state: RunState, facts: RunFacts, frame: FrameState = state.root) {
    this.#state = state;
    this.#frame = frame;
    this.#facts = facts;
  }

  /** The scope of another frame of the same run. */
  in(frame: FrameState): RunScope {
    return frame === this.#frame ? this : new RunScope(this.#state, this.#facts, frame);
  }

  lookup(name: string): Json | undefined {
    switch (name) {
      case 'trigger':
        return triggerValue(this.#facts.trigger);
      case 'input':
        return this.#facts.trigger.payload;
      case 'nodes':
        return this.#withLinks(outputsIn(this.#frame));
      case 'run':
        return this.#facts.run;
      case 'vars':
        return this.#facts.vars?.values ?? {};
      case 'loop':
        return loopIn(this.#frame);
      default:
        if (name === 'args' && this.#frame.call !== null)
          return argumentsOf(this.#frame.call.of.all, this.#frame.call.index);
        return this.#linked(name, outputOf(name, this.#frame));
    }
  }

  /** The URLs for answering a step are known before the step itself runs. */
  #linked(nodeId: string, outputs: Json | undefined): Json | undefined {
    if (!this.#state.plan.hasLinks) return outputs;
    const links = this.#linksOf(nodeId);
    return links === undefined ? outputs : { ...links, ...((outputs as JsonObject | undefined) ?? {}) };
  }

  #linksOf(nodeId: string): JsonObject | undefined {
    for (let frame: FrameState | null = this.#frame; frame !== null; frame = frameAround(frame)) {
      const step = frame.steps.get(nodeId);
      if (step !== undefined) return step.node.component.links === undefined ? undefined : this.#facts.links?.(step);
    }
    return undefined;
  }

  #withLinks(outputs: JsonObject): JsonObject {
    if (!this.#state.plan.hasLinks) return outputs;
    const all: { [nodeId: string]: Json } = Object.assign(Object.create(null), outputs);
    for (const nodeId of this.#stepNames()) {
      const linked = this.#linked(nodeId, own(outputs, nodeId));
      if (linked !== undefined) all[nodeId] = linked;
    }
    return all;
  }

  names(): readonly string[] {
    const inLoop = loopIn(this.#frame) === undefined ? [] : ['loop'];
    const inCall = this.#frame.call === null ? [] : ['args'];
    return ['trigger', 'input', 'nodes', 'run', 'vars', ...inLoop, ...inCall, ...this.#stepNames()];
  }

  *#stepNames(): Iterable<string> {
    for (let frame: FrameState | null = this.#frame; frame !== null; frame = frameAround(frame)) {
      yield* frame.steps.keys();
    }
  }

  explain(path: readonly string[]): string | undefined {
    if (path[0] === 'loop') return this.#explainLoop(path);
    if (path[0] === 'vars') return this.#explainVariable(path[1]);
    const nodeId = path[0] === 'nodes' ? path[1] : path[0];
    if (nodeId === undefined) return undefined;
    for (let frame: FrameState | null = this.#frame; frame !== null; frame = frameAround(frame)) {
      const step = frame.steps.get(nodeId);
      if (step === undefined) continue;
      if (step.phase === 'skipped') return `node '${nodeId}' was skipped in this run, so it has no output`;
      if (step.phase === 'failed') return `node '${nodeId}' failed, so only its port 'error' has a value`;
      if (step.phase !== 'succeeded') return `node '${nodeId}' has not run yet when this expression is evaluated`;
      return undefined;
    }
    const { loopOf, trigger, unreached } = this.#state.plan;
    const kind = unreached.get(nodeId);
    if (kind === 'trigger')
      return `this run was started by '${trigger}'; trigger '${nodeId}' has a value only in runs that it starts`;
    if (kind === 'step') return `no edges lead to node '${nodeId}' from '${trigger}', which started this run`;
    const loop = loopOf.get(nodeId);
    if (loop === undefined) return undefined;
    return `node '${nodeId}' is in the body of loop '${loop}': outside of it, use 'results' of '${loop}'`;
  }

  #explainVariable(name: string | undefined): string | undefined {
    const { values, secrets } = this.#facts.vars ?? { values: {}, secrets: [] };
    if (name === undefined || Object.hasOwn(values, name)) return undefined;
    if (secrets.includes(name)) return `the variable is secret and can only be used in outgoing requests`;
    return `there was no variable '${name}' when this run started`;
  }

  #explainLoop(path: readonly string[]): string | undefined {
    const loop = loopIn(this.#frame);
    if (loop === undefined) return "'loop' exists only inside the body of a loop";
    const isOutermost = path[1] === 'outer' && loop.outer === undefined;
    return isOutermost ? "'loop.outer' exists only in nested loops" : undefined;
  }
}

/** `content_type` is the media type of a webhook's body, null if the request had none. */
function triggerValue({ payload, text, headers }: Trigger): JsonObject {
  return { payload, text, content_type: mediaType(headers?.['content-type']) || null };
}

function outputOf(nodeId: string, frame: FrameState): Json | undefined {
  const found = own(frame.outputs, nodeId);
  const around = found === undefined ? frameAround(frame) : null;
  return around === null ? found : outputOf(nodeId, around);
}

function outputsIn(frame: FrameState): JsonObject {
  const around = frameAround(frame);
  return around === null ? frame.outputs : Object.assign(Object.create(null), outputsIn(around), frame.outputs);
}

/** The value of `loop`: the innermost loop, with the surrounding one as `outer`. */
function loopIn(frame: FrameState): JsonObject | undefined {
  const { iteration, call } = frame;
  if (call !== null) return loopIn(call.of.step.frame);
  if (iteration === null) return undefined;
  const { index, loop } = iteration;
  const outer = loopIn(loop.step.frame);
  const inner = { item: loop.items[index] ?? null, index, total: loop.items.length };
  return outer === undefined ? inner : { ...inner, outer };
}
