import {
  consoleOf,
  type Json,
  type JsonObject,
  jsonCharactersPerStep,
  jsonPieces,
  jsonSize,
  type Meter,
  receivedJson,
  type Script,
  type ScriptResult,
  type SlicedWork,
  StepError,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Timers } from '../ground/clock.ts';
import { type CodeLimits, type Launch, NoEngine, planLaunch } from './launch.ts';
import { Pool } from './pool.ts';
import type { SandboxProcess, ScriptAnswer, ScriptWorld } from './sandbox-process.ts';

/** The dependencies and settings of the sandbox. */
export interface SandboxParts {
  readonly limits: CodeLimits;
  /** Scripts that run at the same time; more wait. */
  readonly processes: number;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  /** Default: what this machine supports. */
  readonly launch?: (limits: CodeLimits) => Promise<Launch>;
}

/** The workflow that the code belongs to (a process never serves two workflows), and the signal that aborts it. */
export interface ScriptOwner {
  readonly workflowId: number;
  /** The owner of the workflow. */
  readonly ownerId: number;
  readonly signal: AbortSignal;
  /** Limits the work of writing the values in scope. */
  readonly meter: Meter;
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
}

/** Code, and the time and randomness that it sees. */
export interface PlacedScript extends Script {
  readonly world?: ScriptWorld;
}

/** Runs users' code. */
export interface Sandbox {
  /** Throws StepError `code_…`. */
  run(script: PlacedScript, owner: ScriptOwner): Promise<ScriptResult>;
  /** Ends every process. */
  close(): void;
}

/** Maximum characters of JSON passed to a script: larger values take seconds to transfer. */
const maxScope = 16_777_216;

/** Creates a sandbox. It starts its first process with the first script. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const { limits, processes, timers, log, launch = planLaunch } = parts;
  let pool: Promise<Pool> | null = null;
  const openPool = async (): Promise<Pool> => {
    const plan = await launch(limits);
    if (plan.missing.length > 0) {
      log.warn({ missing: plan.missing }, 'the sandbox for code lacks some of its protections on this machine');
    }
    return new Pool({ launch: plan, limits, processes, timers });
  };
  return {
    async run(script, { workflowId, ownerId, signal, meter, inSlices }) {
      rejectLarge(script.scope, meter);
      pool ??= openPool();
      const process = await (await pool.catch(reject)).take({ workflowId, ownerId }, signal);
      if (process === null) throw stopped();
      const { language, source, world } = script;
      try {
        if (!(await process.ready)) throw cannotStart(process, log);
        // Not before: a script that waits would hold megabytes besides the values of its run.
        const scope = await inSlices(scopeText(script.scope, meter));
        const request = { language, source, scope, world };
        const answer = await process.run(request, signal);
        if (answer.kind === 'died') log.warn({ consoleLine: process.lastOutput }, 'code ended its sandbox process');
        return await inSlices(resultOf(answer, limits, meter));
      } finally {
        (await pool).giveBack(process);
      }
    },
    close: () =>
      void pool?.then(
        (opened) => opened.close(),
        () => undefined,
      ),
  };
}

/** Measuring takes a fraction of the time of writing. */
function rejectLarge(scope: Script['scope'], meter: Meter): void {
  const length = jsonSize(scope as JsonObject, maxScope);
  meter.spendOnText(length);
  if (length > maxScope) throw tooLarge();
}

/** The values in scope as JSON, in pieces. */
function* scopeText(scope: Script['scope'], meter: Meter): SlicedWork<readonly string[]> {
  let length = 0;
  const pieces: string[] = [];
  for (const piece of jsonPieces(scope as JsonObject)) {
    meter.spend(piece.length / jsonCharactersPerStep);
    length += piece.length;
    if (length > maxScope) throw tooLarge();
    pieces.push(piece);
    yield;
  }
  return pieces;
}

function tooLarge(): StepError {
  return new StepError('input', `The values that the code uses are larger than ${maxScope} characters of JSON.`);
}

function reject(error: unknown): never {
  if (!(error instanceof NoEngine)) throw error;
  throw new StepError('code_unavailable', `Code cannot run here: the sandbox cannot start. ${error.message}`);
}

function cannotStart({ lastOutput }: SandboxProcess, log: SandboxParts['log']): StepError {
  log.warn({ consoleLine: lastOutput }, 'a process of the sandbox for code could not start');
  const message = "Code cannot run here: the sandbox cannot start; see the service's log.";
  // A machine that cannot start a process now may be able to later.
  return new StepError('code_unavailable', message, { retryable: true });
}

/** The caller that aborted it does not wait for this. */
function stopped(): StepError {
  return new StepError('code_error', 'The code was stopped.');
}

function* resultOf({ kind, text, lines }: ScriptAnswer, limits: CodeLimits, meter: Meter): SlicedWork<ScriptResult> {
  const memory = `${limits.memoryMb} MB of memory`;
  switch (kind) {
    case 'value':
      return { value: yield* jsonOf(text, lines, meter), lines };
    case 'syntax':
      throw new StepError('code_syntax', text, consoleOf(lines));
    case 'error':
      throw new StepError('code_error', text, consoleOf(lines));
    case 'output':
      throw new StepError('code_output', text, consoleOf(lines));
    case 'stopped':
      throw stopped();
    case 'garbled':
      throw new StepError('code_error', 'The code broke the sandbox in which it ran.');
    case 'died':
      // V8 ends a process that is out of memory; a normal script cannot end it in any other way.
      throw new StepError(
        'code_memory',
        `The code ended its sandbox: most likely it needed more than ${memory}.`,
        consoleOf(lines),
      );
    case 'timeout':
      throw new StepError(
        'code_timeout',
        `The code ran longer than ${limits.seconds} s and was stopped.`,
        consoleOf(lines),
      );
    case 'memory':
      throw new StepError('code_memory', `The code needed more than ${memory} and was stopped.`, consoleOf(lines));
  }
}

/** The script's JSON. It was made inside the sandbox, so it is validated here. */
function* jsonOf(text: string, lines: readonly string[], meter: Meter): SlicedWork<Json> {
  const received = yield* receivedJson(text, { meter, numbers: 'doubles' });
  if (received.kind === 'value') return received.value;
  const reason = received.kind === 'exceeded' ? received.excess : 'cannot be read as JSON';
  throw new StepError('code_output', `The return value of the code ${reason}.`, consoleOf(lines));
}
