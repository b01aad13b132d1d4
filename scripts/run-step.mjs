import { spawn } from 'node:child_process';

/** @typedef {{ passed: boolean, output: string, seconds: string }} StepResult */

/**
 * Runs one process of the check to its end, without a time limit, and collects its output.
 * @param {import('./static-steps.mjs').Step} step
 * @param {(line: string) => void} [onLine] receives the lines that the process sends while it runs
 * @returns {Promise<StepResult>}
 */
export function runStep({ args, proof }, onLine) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    // Without colours: failures are printed later, possibly to a file.
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe', onLine ? 'ipc' : 'ignore'],
  });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  if (onLine) child.on('message', (line) => onLine(String(line)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) output.push(Buffer.from(`\nended by ${signal}\n`));
      const text = Buffer.concat(output).toString();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      resolve({ passed: code === 0 && (proof?.test(text) ?? true), output: text, seconds });
    });
  });
}
