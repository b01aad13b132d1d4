import { type ChildProcess, spawn } from 'node:child_process';
import { StepError } from '@millrace/core';

/** One call of the program. */
export interface GitCall {
  /** After the options that every call has. Values of users stand behind `--` or in `refs/heads/…`. */
  readonly args: readonly string[];
  readonly folder: string;
  /** Settings as `http.proxy`, passed by the environment, so no file and no list of processes shows them. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal: AbortSignal;
  /** Bytes of memory of each process, of git and of its helpers. */
  readonly maxMemory: number;
  /** Called now and then while the program works; it may stop the program by throwing. */
  readonly watch?: () => Promise<void>;
}

interface GitEnd {
  readonly code: number;
  readonly output: Buffer;
  readonly errors: string;
}

/** Bytes of output, more than any call of ours needs. */
const maxOutput = 32 * 1024 * 1024;
/** Characters of the messages that are kept. */
const maxErrors = 4096;
const watchMs = 200;

/**
 * Starts a program with a limit of its address space in KiB, which its children inherit. A system that has no such limit
 * starts the program without one.
 */
const limited = 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"';
/** The exit code of a shell that does not find its program. */
const notFound = 127;

/** Settings of every call: nothing runs except git itself, and it asks nobody. */
const alwaysSet = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.symlinks', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '30'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.compression', '1'],
  // Larger objects are not held in memory, whatever a server sends.
  ['core.bigFileThreshold', '16m'],
  ['core.deltaBaseCacheLimit', '16m'],
  // Parts of packs that are mapped count as memory.
  ['core.packedGitWindowSize', '16m'],
  ['core.packedGitLimit', '64m'],
  ['pack.threads', '1'],
] as const;

/** The whole environment: nothing of this process, and no configuration of the machine or of a user. */
const ownEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'http:https',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_OPTIONAL_LOCKS: '0',
} as const;

/** Runs the program and waits for its end. @throws StepError `git_unavailable`, `git_failed` */
export async function runGit(call: GitCall): Promise<GitEnd> {
  call.signal.throwIfAborted();
  const settings = [...alwaysSet, ...(call.settings ?? [])];
  const configured = settings.flatMap(([name, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const env = {
    ...ownEnvironment,
    ...Object.fromEntries(configured),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_DIR: call.folder,
    ...call.environment,
  };
  // A group of its own, so that the helpers of git end with it.
  const args = ['-c', limited, 'sh', String(Math.floor(call.maxMemory / 1024)), 'git', '--no-pager', ...call.args];
  const child = spawn('/bin/sh', args, { cwd: call.folder, env, detached: true, stdio: 'pipe' });
  return ended(child, call);
}

function ended(child: ChildProcess, { input, signal, watch }: GitCall): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let errors = '';
    const stop = (reason: unknown): void => {
      settle(() => reject(reason));
      endGroup(child);
    };
    const abort = () => stop(signal.reason);
    const timer = watch && setInterval(() => void watch().catch(stop), watchMs);
    function settle(finish: () => void): void {
      clearInterval(timer);
      signal.removeEventListener('abort', abort);
      finish();
    }
    signal.addEventListener('abort', abort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) stop(new StepError('git_failed', 'Git returned more than 32 MiB: name fewer paths.'));
      else chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errors.length < maxErrors) errors = `${errors}${chunk}`.slice(0, maxErrors);
    });
    child.on('error', () => settle(() => reject(unavailable())));
    child.on('close', (code) =>
      settle(() => {
        if (code === notFound) reject(unavailable());
        else resolve({ code: code ?? 1, output: Buffer.concat(chunks), errors });
      }),
    );
    // Git may end before it has read everything.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

function unavailable(): StepError {
  return new StepError('git_unavailable', 'The program git cannot be started: install git 2.37 or later.');
}
