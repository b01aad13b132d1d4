import {
  argumentsBeginAt,
  asObject,
  compileConfig,
  endedCalls,
  type FrameState,
  filledConfig,
  inputOf,
  isObject,
  type Json,
  type JsonObject,
  type ModelAnswer,
  memorySlot,
  recall,
  type SlicedWork,
  StepError,
  type StepOutcome,
  type ToolStep,
} from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';
import type { Attempt } from './attempt.ts';
import { Context } from './context.ts';
import { resolveFor } from './resolve-for.ts';

type MadeCall = NonNullable<FrameState['call']>;

/** The model is called with the prompt of the calling step. */
export async function callModel(
  ports: RunnerPorts,
  attempt: Attempt,
  { of: { step, brief, all }, index }: MadeCall,
): Promise<StepOutcome> {
  const { prompt, type } = step.node.component;
  const { model } = attempt;
  const made = all[index]?.call;
  // A component that calls a model must have `prompt`: otherwise it is an error of its author.
  if (prompt === undefined || model === null || made === undefined || 'rejected' in made)
    throw new Error(`'${type}' called a model and has no prompt`);
  const calls = endedCalls(all.slice(0, index));
  // The prompt is that of the calling step, with its memory.
  const ctx = new Context(ports, { ...attempt, step });
  const memory = ctx.connected(memorySlot).at(-1);
  // Only the first call of an answer requests a summary.
  const summarizing = calls.length === 0 ? model : null;
  const { conversation } = ctx;
  const before = memory === undefined ? null : await recall(memory, { conversation, model: summarizing });
  const asked = prompt({ brief, calls, call: made, before });
  return { outputs: outputsOf(await model.ask(asked)), metadata: asked.metadata ?? {} };
}

function outputsOf({ text, stop, calls = [], raw }: ModelAnswer): JsonObject {
  return { text, calls, stop, ...(raw !== undefined && { raw }) };
}

/** The step of a tool as its component gets it: its config, with the arguments of the call where it leaves keys open. */
export function* toolStepOf(ports: RunnerPorts, attempt: Attempt, ctx: Context): SlicedWork<ToolStep<Json>> {
  const { component, config, tool: settings } = attempt.step.node;
  const fixed = asObject(yield* resolveFor(ports, attempt, { config, component }), 'config');
  yield* checkUrls(ports, attempt, fixed);
  const args = asObject(yield* inputOf(attempt.step, attempt.trigger, attempt.meter), 'arguments');
  const offering = { component, config: fixed, settings };
  const filled = filledConfig(offering, args);
  attempt.evaluated = filled;
  const target = targetOf(attempt);
  return { input: args, config: filled, ctx, ...(target !== undefined && { target }) };
}

/** What of the node is called, if it offers several tools. */
function targetOf({ step: { frame } }: Attempt): string | undefined {
  const made = frame.call === null ? undefined : frame.call.of.all[frame.call.index]?.call;
  return made === undefined || 'rejected' in made ? undefined : made.target;
}

/**
 * The arguments of a call choose no host of a URL, and no beginning of its path. The template of the URL keeps them in
 * their segment.
 * @throws StepError `http_blocked`
 */
function* checkUrls(ports: RunnerPorts, attempt: Attempt, resolved: JsonObject): SlicedWork<void> {
  const { component, config } = attempt.step.node;
  const { urls = [], addresses = [] } = component;
  for (const key of [...urls, ...addresses]) {
    const source = isObject(config.source) ? config.source[key] : undefined;
    const end = typeof source === 'string' ? argumentsBeginAt(source) : null;
    if (typeof source !== 'string' || end === null) continue;
    const head = compileConfig({ [key]: source.slice(0, end) }, { urls });
    const fixed = asObject(yield* resolveFor(ports, attempt, { config: head, component }), key)[key];
    if (!isBelow(String(resolved[key]), String(fixed))) {
      const message = `The arguments of this call change the host or the path of its ${key}, which begins with '${fixed}'.`;
      throw new StepError('http_blocked', message);
    }
  }
}

/** Whether a URL continues the beginning of another one, which must name a host and a path. */
function isBelow(url: string, beginning: string): boolean {
  const [found, known] = [URL.parse(url), URL.parse(beginning)];
  if (found === null || known === null || !/^[a-z]+:\/\/[^/?#]+[/?#]/i.test(beginning.trim())) return false;
  return found.origin === known.origin && found.href.startsWith(known.href);
}
