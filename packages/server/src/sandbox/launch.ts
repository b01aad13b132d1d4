import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The resource limits of code. */
export interface CodeLimits {
  /** Seconds that a script may run. */
  readonly seconds: number;
  /** Megabytes that a script may use. */
  readonly memoryMb: number;
}

/** How a sandbox process is started on this machine. */
export interface Launch {
  readonly command: readonly string[];
  /** The protections that this machine does not support, described for the operator. */
  readonly missing: readonly string[];
}

/** The sandbox has no engine for this machine. The message is a line for the user. */
export class NoEngine extends Error {}

const childFolder = fileURLToPath(new URL('./child/', import.meta.url));

/**
 * Address space, far above the actual use: V8 reserves several hundred megabytes for each isolate, and those of the
 * last scripts may not be released yet. Memory itself is monitored (`memory-gauge.ts`).
 */
const addressBytes = 16_000_000_000;
/** Heap of the process itself: it holds a request and strips types. */
const ownHeapMb = 128;
/** The process ends a script itself this long after its parent should have done so. */
const backstopMs = 2000;
/** A wrapper that needs longer to do nothing does not work. Fifty times the duration on an idle machine. */
const trialMs = 5000;

/** Finds the engine and the protections that this machine supports. @throws NoEngine */
export async function planLaunch(limits: CodeLimits): Promise<Launch> {
  const addon = findAddon();
  const wrappers = wrappersFor(limits);
  const work = await Promise.all(wrappers.map(({ command }) => works([...command, process.execPath, '--version'])));
  const around = wrappers.filter((_, index) => work[index]).flatMap(({ command }) => command);
  const missing = wrappers.filter((_, index) => !work[index]).map(({ lack }) => lack);
  const child = [`${childFolder}main.mjs`, addon, String(limits.memoryMb), String(limits.seconds * 1000 + backstopMs)];
  return { command: [...around, process.execPath, ...nodeFlags(addon), ...child], missing };
}

/** From the outside in. A kernel may reject namespaces, and containers often do, so all are attempted in this order. */
function wrappersFor({ memoryMb }: CodeLimits) {
  const bytes = addressBytes + 2 * memoryMb * 1_000_000;
  return [
    {
      command: ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
      lack: 'ending with the service, also after a crash (setpriv)',
    },
    { command: ['prlimit', `--as=${bytes}`, '--core=0', '--fsize=0'], lack: "the kernel's limits (prlimit)" },
    {
      // No network, no other process visible or reachable by signals, no privileges.
      command: ['unshare', '--user', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child'],
      lack: 'namespaces without a network (unshare)',
    },
  ];
}

function nodeFlags(addon: string): string[] {
  return [
    // Required by the engine's documentation: isolates must not be created from Node's own snapshot.
    '--no-node-snapshot',
    // Otherwise WebAssembly, which strips types, reserves more address space than the limit leaves.
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

/** The engine's binary for this machine, found in the same way as by its own loader. */
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
