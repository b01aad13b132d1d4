import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What code may use. */
export interface CodeLimits {
  /** Seconds that a script may run. */
  readonly seconds: number;
  /** Megabytes that a script may hold. */
  readonly memoryMb: number;
}

/** How a sandbox process is started on this machine. */
export interface Launch {
  readonly command: readonly string[];
  /** What could not be put around it, in words for the operator. */
  readonly missing: readonly string[];
}

/** The sandbox has no engine for this machine. The message is a line for the user. */
export class NoEngine extends Error {}

const childFolder = fileURLToPath(new URL('./child/', import.meta.url));

/**
 * Address space, far above what is ever used: V8 reserves some hundred megabytes for each isolate, and those of the
 * last scripts may still be on their way out. Memory itself is watched (`memory-gauge.ts`).
 */
const addressBytes = 16_000_000_000;
/** Heap of the process itself: it holds a request and strips types. */
const ownHeapMb = 128;
/** The process ends a script by itself so long after its parent should have done it. */
const backstopMs = 2000;
/** A wrapper that takes longer to do nothing does not work. Fifty times what it takes on an idle machine. */
const trialMs = 5000;

/**
 * Finds the engine and what this machine lets us put around it.
 * @throws NoEngine
 */
export async function planLaunch(limits: CodeLimits): Promise<Launch> {
  const addon = findAddon();
  const wrappers = wrappersFor(limits);
  const work = await Promise.all(wrappers.map(({ command }) => works([...command, process.execPath, '--version'])));
  const around = wrappers.filter((_, index) => work[index]).flatMap(({ command }) => command);
  const missing = wrappers.filter((_, index) => !work[index]).map(({ lack }) => lack);
  const child = [`${childFolder}main.mjs`, addon, String(limits.memoryMb), String(limits.seconds * 1000 + backstopMs)];
  return { command: [...around, process.execPath, ...nodeFlags(addon), ...child], missing };
}

/** From the outside in. A kernel may refuse namespaces, and a container often does: so each is tried. */
function wrappersFor({ memoryMb }: CodeLimits) {
  const bytes = addressBytes + 2 * memoryMb * 1_000_000;
  return [
    {
      command: ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
      lack: 'the end with the service, however that ends (setpriv)',
    },
    { command: ['prlimit', `--as=${bytes}`, '--core=0', '--fsize=0'], lack: "the kernel's limits (prlimit)" },
    {
      // No network, no other process to see or to signal, no rights over anything.
      command: ['unshare', '--user', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child'],
      lack: 'namespaces without a network (unshare)',
    },
  ];
}

function nodeFlags(addon: string): string[] {
  return [
    // The engine's documentation demands it: isolates must not be made from Node's own snapshot.
    '--no-node-snapshot',
    // Without it WebAssembly, which strips types, reserves more address space than the limit leaves.
    '--disable-wasm-trap-handler',
    `--max-old-space-size=${ownHeapMb}`,
    '--disable-warning=PERM0001',
    '--disable-warning=ExperimentalWarning',
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${childFolder}`,
    `--allow-fs-read=${addon}`,
  ];
}

/** The engine's binary for this machine, as its own loader finds it. */
function findAddon(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('isolated-vm/package.json');
    const loader = createRequire(manifest)('node-gyp-build') as { path(folder: string): string };
    return loader.path(dirname(manifest));
  } catch {
    throw new NoEngine(`Its engine has no binary for ${process.platform}-${process.arch} and this version of Node.`);
  }
}

function works([command = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, args, { env: {}, timeout: trialMs }, (error) => resolve(error === null));
  });
}
