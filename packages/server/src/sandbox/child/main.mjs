/**
 * The process in which users' code runs: it reads one request a line and answers each with one line. It serves one
 * script at a time, each in an isolate of its own that is thrown away afterwards. It trusts nobody: the code that it
 * runs may take over this whole process, so it holds nothing but the request, and the parent believes it nothing.
 *
 * Plain JavaScript, because stripping types would double the time it takes to start.
 */
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { CodeFault, compile } from './compile.mjs';
import { Room } from './room.mjs';

/** Code gets the processor time that the service does not need. */
const niceness = 10;

/** Characters of an error's message. */
const maxMessageLength = 1000;

const [addon = '', memoryMb = '', timeoutMs = ''] = process.argv.slice(2);
/** @type {{ ivm: typeof import('isolated-vm') }} */
const { ivm } = createRequire(import.meta.url)(addon);
const limits = { memoryLimit: Number(memoryMb) };
// A second limit behind the parent's: for the case that the parent is gone.
const timeout = { timeout: Number(timeoutMs) };

/**
 * @param {Room} room
 * @param {{ language: string, source: string, scope: string, world?: { now: number, seed: number } }} request
 */
async function run({ isolate, context, verbs }, { language, source, scope, world }) {
  if (world !== undefined) await verbs.enter.apply(undefined, [world.now, world.seed], timeout);
  const compiled = compile(isolate, language, source);
  if (!(await verbs.isBody.apply(undefined, [compiled.body], timeout))) {
    throw new CodeFault('The code closes a bracket that it did not open: it must be the body of one function.');
  }
  const body = await compiled.script.run(context, { ...timeout, reference: true });
  await verbs.start.apply(undefined, [body.derefInto(), scope], timeout);
  // By now everything that could happen has happened.
  return await verbs.report.apply(undefined, [], { ...timeout, result: { copy: true } });
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof CodeFault) return { kind: 'syntax', text: error.message, isSpent: error.brokeStripper };
  const message = error instanceof Error ? error.message : '';
  if (message.includes('was disposed during execution due to memory limit')) return { kind: 'memory' };
  if (message === 'Script execution timed out.') return { kind: 'timeout' };
  // A promise that failed and that nobody waited for comes out here.
  return {
    kind: 'error',
    text: `The code left an error behind that nothing caught: ${message.slice(0, maxMessageLength)}`,
  };
}

/**
 * What a script wrote before it ended by an error that nothing caught; nothing where its isolate is gone.
 * @param {Room} room
 */
async function linesOf({ isolate, verbs }) {
  try {
    if (isolate.isDisposed) return {};
    const report = await verbs.report.apply(undefined, [], { ...timeout, result: { copy: true } });
    return { lines: JSON.parse(String(report)).lines };
  } catch {
    return {};
  }
}

/** A room whose script's lines are told at once: its end may come from outside, and then nobody can ask for them. */
function openRoom() {
  /** @type {Room} */
  const own = new Room(ivm, limits, (line) => {
    // What comes when the script has been answered for is no later one's.
    if (own === room) process.stdout.write(`${JSON.stringify({ said: line })}\n`);
  });
  return own;
}

/** @type {Room | null} */
let room = openRoom();

/** @param {string} line */
async function serve(line) {
  /** @type {unknown} */
  let answer;
  const own = room ?? openRoom();
  try {
    answer = await run(own, JSON.parse(line));
  } catch (error) {
    answer = JSON.stringify({ ...explain(error), ...(await linesOf(own)) });
  }
  room = null;
  process.stdout.write(`${typeof answer === 'string' ? answer.replaceAll('\n', ' ') : '{}'}\n`);
  own.close();
  room = openRoom();
}

/** @type {string[]} */
let pieces = [];
process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const end = chunk.indexOf('\n');
  if (end < 0) {
    pieces.push(chunk);
    return;
  }
  const line = [...pieces, chunk.slice(0, end)].join('');
  pieces = [];
  void serve(line);
});
// The parent is gone, however it went. A script may be running: only a signal is sure to end that.
process.stdin.on('end', () => {
  process.kill(process.pid, 'SIGKILL');
  // The first process of a namespace is spared its own signals; this ends it all the same.
  process.abort();
});

try {
  setPriority(niceness);
} catch {
  // Then it competes with the service: slower, but no danger.
}
process.stdout.write('ready\n');
