import { type Json, Meter, runThrough, type ScriptResult, StepError } from '@millrace/core';
import { systemTimers } from '../ground/clock.ts';
import { createSandbox, type PlacedScript, type Sandbox, type SandboxParts } from './sandbox.ts';

/** The end of a script: its value and its lines, or the code and the message of its error. */
export interface Ending extends Partial<ScriptResult> {
  readonly code?: string;
  readonly message?: string;
}

/** It measures how long real scripts take, so it uses the real clock. */
export function testSandbox(parts: Partial<SandboxParts> = {}): Sandbox {
  return createSandbox({
    // The general limit of a test: no normal script exceeds it, however busy the machine is.
    limits: { seconds: 300, memoryMb: 64 },
    processes: 2,
    timers: systemTimers,
    log: { warn: () => undefined },
    ...parts,
  });
}

const never = new AbortController().signal;

/** Runs code of one workflow and returns how it ended. */
export async function endingOf(
  sandbox: Sandbox,
  source: string,
  options: Partial<Pick<PlacedScript, 'scope' | 'language' | 'world'>> & {
    workflowId?: number;
    ownerId?: number;
    signal?: AbortSignal;
  } = {},
): Promise<Ending> {
  const { scope = {}, language = 'javascript', world, workflowId = 1, ownerId = 1, signal = never } = options;
  try {
    return await sandbox.run(
      { language, source, scope, ...(world && { world }) },
      {
        workflowId,
        ownerId,
        signal,
        meter: new Meter(() => 0),
        inSlices: runThrough,
      },
    );
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const { console: lines } = error.metadata;
    return { code: error.code, message: error.message, ...(lines !== undefined && { lines: lines as string[] }) };
  }
}

/** The value that code returns. Throws if it does not return one. */
export async function returned(
  sandbox: Sandbox,
  source: string,
  options: Parameters<typeof endingOf>[2] = {},
): Promise<Json> {
  const { value, message } = await endingOf(sandbox, source, options);
  if (value === undefined) throw new Error(`the code failed: ${message}`);
  return value;
}
