import { spawn } from 'node:child_process';

/** @typedef {{ passed: boolean, output: string, seconds: string }} StepResult */
/**
 * @typedef {object} Watched
 * @property {(message: { line?: string, progress?: import('./stall-watch.mjs').Progress }) => void} onMessage receives the
 * messages that the process sends while it runs
 * @property {AbortSignal} [signal] ends the process and all it started
 */

const endingSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs one process of the check to its end, and collects its output. It has no time limit.
 * @param {import('./static-steps.mjs').Step} step
 * @param {Watched} [watched] with it, the process has its own process group
 * @returns {Promise<StepResult>}
 */
export function runStep({ args, proof }, watched) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    // Without colours: failures are printed later, possibly to a file.
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe', watched ? 'ipc' : 'ignore'],
    detached: watched !== undefined,
  });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  const release = watched ? watch(child, watched) : () => undefined;
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      release();
      if (signal !== null) output.push(Buffer.from(`\nended by ${signal}\n`));
      const text = Buffer.concat(output).toString();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      resolve({ passed: code === 0 && (proof?.test(text) ?? true), output: text, seconds });
    });
  });
}

/**
 * Forwards the messages of a process, and ends its process group when the signal says so or this process is ended.
 * @param {import('node:child_process').ChildProcess} child @param {Watched} watched
 * @returns {() => void} stops that
 */
function watch(child, { onMessage, signal }) {
  child.on('message', (message) => onMessage(/** @type {Parameters<Watched['onMessage']>[0]} */ (message)));
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  const endBoth = () => {
    end();
    process.exit(1);
  };
  signal?.addEventListener('abort', end);
  for (const name of endingSignals) process.once(name, endBoth);
  return () => {
    signal?.removeEventListener('abort', end);
    for (const name of endingSignals) process.off(name, endBoth);
  };
}
