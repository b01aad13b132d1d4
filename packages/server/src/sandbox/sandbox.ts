import { consoleOf, isDeeperThan, type Json, type Script, type ScriptResult, StepError } from '@millrace/core';
import type { Logger } from 'pino';
import type { Timers } from '../ground/clock.ts';
import { type CodeLimits, type Launch, NoEngine, planLaunch } from './launch.ts';
import { Pool } from './pool.ts';
import type { SandboxProcess, ScriptAnswer, ScriptWorld } from './sandbox-process.ts';

/** What the sandbox is made with. */
export interface SandboxParts {
  readonly limits: CodeLimits;
  /** Scripts that run at the same time; more wait. */
  readonly processes: number;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  /** Default: what this machine has. */
  readonly launch?: (limits: CodeLimits) => Promise<Launch>;
}

/** Whose code it is: a process never serves the code of two of them. And what ends it early. */
export interface ScriptOwner {
  readonly workflowId: number;
  readonly signal: AbortSignal;
}

/** Code, and the world that it sees. */
export interface PlacedScript extends Script {
  readonly world?: ScriptWorld;
}

/** Where users' code runs. */
export interface Sandbox {
  /** Throws StepError `code_…`. */
  run(script: PlacedScript, owner: ScriptOwner): Promise<ScriptResult>;
  /** Ends every process. */
  close(): void;
}

/** Characters of JSON that a script is given: larger values take seconds on their way there. */
const maxScope = 16_777_216;
/** As deep as other JSON in the service. */
const maxDepth = 64;

/** Makes a sandbox. It starts its first process with the first script. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const { limits, processes, timers, log, launch = planLaunch } = parts;
  let pool: Promise<Pool> | null = null;
  const openPool = async (): Promise<Pool> => {
    const plan = await launch(limits);
    if (plan.missing.length > 0) {
      log.warn({ missing: plan.missing }, 'the sandbox for code goes without some of its walls on this machine');
    }
    return new Pool({ launch: plan, limits, processes, timers });
  };
  return {
    async run(script, { workflowId, signal }) {
      const scope = JSON.stringify(script.scope);
      if (scope.length > maxScope) {
        throw new StepError('input', `The values that the code uses are larger than ${maxScope} characters of JSON.`);
      }
      pool ??= openPool();
      const process = await (await pool.catch(refuse)).take(workflowId, signal);
      if (process === null) throw stopped();
      const { language, source, world } = script;
      const request = { language, source, scope, world };
      try {
        if (!(await process.ready)) throw cannotStart(process, log);
        const answer = await process.run(request, signal);
        if (answer.kind === 'died') log.warn({ said: process.lastWords }, 'code ended its sandbox process');
        return resultOf(answer, limits);
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

function refuse(error: unknown): never {
  if (!(error instanceof NoEngine)) throw error;
  throw new StepError('code_unavailable', `Code cannot run here: the sandbox cannot start. ${error.message}`);
}

function cannotStart({ lastWords }: SandboxProcess, log: SandboxParts['log']): StepError {
  log.warn({ said: lastWords }, 'a process of the sandbox for code could not start');
  const message = "Code cannot run here: the sandbox cannot start; the service's log says why.";
  // A machine without a free process now may have one later.
  return new StepError('code_unavailable', message, { retryable: true });
}

/** Who aborted it does not wait for this. */
function stopped(): StepError {
  return new StepError('code_error', 'The code was stopped.');
}

function resultOf({ kind, text, lines }: ScriptAnswer, limits: CodeLimits): ScriptResult {
  const memory = `${limits.memoryMb} MB of memory`;
  switch (kind) {
    case 'value':
      return { value: jsonOf(text, lines), lines };
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
      // V8 ends a process that finds no more memory; an honest script can do nothing else to it.
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

/** The script's JSON. It has been made in there, so it is checked out here. */
function jsonOf(text: string, lines: readonly string[]): Json {
  try {
    const value = JSON.parse(text) as Json;
    if (!isDeeperThan(value, maxDepth)) return value;
  } catch {
    // The same answer as to one that nests too deep.
  }
  throw new StepError('code_output', 'What the code returned cannot be read as JSON.', consoleOf(lines));
}
