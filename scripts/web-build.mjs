/**
 * Builds the web app if its sources changed since the last build. Runs on any Node >= 18 with nothing installed, like
 * the file that imports it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build reads; a change of any of these files makes it stale. */
const sources = [
  'package-lock.json',
  'packages/web/index.html',
  'packages/web/vite.config.ts',
  ...['packages/web/src', 'packages/web/public', 'packages/web/templates'],
  ...['packages/client/src', 'packages/core/src'],
];

/** @param {string} root */
const stampFile = (root) => join(root, 'packages/web/dist/.built');

/** Whether the web app must be built. It compares sizes and times, so it takes a few milliseconds. @param {string} root */
export function isWebStale(root) {
  try {
    return readFileSync(stampFile(root), 'utf8') !== stampOf(root);
  } catch {
    return true;
  }
}

/** Builds the web app. @param {string} root @param {(args: string[]) => Promise<void>} run runs Node with arguments */
export async function buildWeb(root, run) {
  // Computed before the build, so that the next start notices a change during it.
  const stamp = stampOf(root);
  await run([join(root, 'node_modules/vite/bin/vite.js'), 'build', join(root, 'packages/web'), '--logLevel=warn']);
  writeFileSync(stampFile(root), stamp);
}

/** @param {string} root */
function stampOf(root) {
  const hash = createHash('sha256');
  for (const source of sources) for (const line of linesOf(join(root, source))) hash.update(`${line}\n`);
  return hash.digest('hex');
}

/** A line for each file at a path or below it. @param {string} path @returns {string[]} */
function linesOf(path) {
  const { isDirectory, size, mtimeMs } = describe(path);
  return isDirectory
    ? readdirSync(path)
        .sort()
        .flatMap((name) => linesOf(join(path, name)))
    : [`${path} ${size} ${mtimeMs}`];
}

/** @param {string} path */
function describe(path) {
  const stats = statSync(path);
  return { isDirectory: stats.isDirectory(), size: stats.size, mtimeMs: stats.mtimeMs };
}
