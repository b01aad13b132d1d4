import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { CommandRequest, CommandResult } from '@millrace/core';
import type { AllowedCommand } from './command-list.ts';

/** A program to run. */
interface Program extends CommandRequest {
  readonly allowed: AllowedCommand;
  readonly signal: AbortSignal;
}

/** How a program ended. */
export type Ended =
  | { readonly kind: 'exited'; readonly result: CommandResult }
  | { readonly kind: 'timeout' }
  /** `code` is that of the operating system, such as ENOENT. */
  | { readonly kind: 'unstartable'; readonly code: string }
  /** The machine does not support a program without network. */
  | { readonly kind: 'unconfined' };

/** Bytes of both outputs together: the output of a step may have 16 MiB as JSON, and a model reads far less. */
const maxOutput = 1_048_576;
/** The exit code of a program that a signal ended, as shells report it. */
const endedBySignal = 128;
/** Ends with the service, also after a crash, and gains no rights; without network. */
const confinement = ['unshare', '--user', '--map-current-user', '--net', '--fork', '--kill-child'] as const;

/** Runs a program in an empty folder with an empty environment, and ends it and its children after its time. */
export async function runProgram({ args, input, allowed, signal }: Program): Promise<Ended> {
  if (!allowed.network && !(await canConfine())) return { kind: 'unconfined' };
  const folder = await mkdtemp(join(tmpdir(), 'millrace-command-'));
  try {
    const argv = [...(allowed.network ? [] : confinement), allowed.path, ...allowed.args, ...args];
    const [file = '', ...rest] = argv;
    signal.throwIfAborted();
    // A group of its own, so that its children end with it.
    const child = started(() => spawn(file, rest, { cwd: folder, env: {}, detached: true, stdio: 'pipe' }));
    if ('code' in child) return { kind: 'unstartable', code: child.code };
    return await ended(child, { input, ms: allowed.seconds * 1000, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The process, or the code of the operating system: arguments may be too long (E2BIG), or contain a zero byte. */
function started(start: () => ChildProcess): ChildProcess | { readonly code: string } {
  try {
    return start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    return { code };
  }
}

interface Limits {
  readonly input: CommandRequest['input'];
  readonly ms: number;
  readonly signal: AbortSignal;
}

async function ended(child: ChildProcess, { input, ms, signal }: Limits): Promise<Ended> {
  const output = new Output();
  child.stdout?.on('data', (bytes: Buffer) => output.add('stdout', bytes));
  child.stderr?.on('data', (bytes: Buffer) => output.add('stderr', bytes));
  if (child.stdin !== null) write(child.stdin, input);
  let isLate = false;
  const kill = (): void => endGroup(child);
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, ms);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const outcome = await new Promise<{ code: number | null } | { error: NodeJS.ErrnoException }>((resolve) => {
      child.on('error', (error) => resolve({ error }));
      child.on('close', (code) => resolve({ code }));
    });
    signal.throwIfAborted();
    if (isLate) return { kind: 'timeout' };
    if ('error' in outcome) return { kind: 'unstartable', code: outcome.error.code ?? 'error' };
    return { kind: 'exited', result: { exitCode: outcome.code ?? endedBySignal, ...output.texts() } };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    // Children that closed their outputs may still run.
    kill();
  }
}

/** A program that does not read its input closes it, which is no error. */
function write(stdin: Writable, input: CommandRequest['input']): void {
  stdin.on('error', () => undefined);
  if (input === null) stdin.end();
  else stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

class Output {
  readonly #parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #left = maxOutput;
  #cut = false;

  add(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#left);
    if (kept.length < bytes.length) this.#cut = true;
    this.#left -= kept.length;
    if (kept.length > 0) this.#parts[stream].push(kept);
  }

  texts(): Omit<CommandResult, 'exitCode'> {
    const textOf = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('utf8');
    return { stdout: textOf(this.#parts.stdout), stderr: textOf(this.#parts.stderr), cut: this.#cut };
  }
}

let confinable: Promise<boolean> | null = null;

/** Whether this machine can run a program without network. Found out once. */
function canConfine(): Promise<boolean> {
  confinable ??= new Promise((resolve) => {
    const [file, ...args] = confinement;
    execFile(file, [...args, 'true'], (error) => resolve(error === null));
  });
  return confinable;
}
