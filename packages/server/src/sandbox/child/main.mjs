/**
 * The process in which users' code runs: a request is two lines, the code and the values in scope, and its answer is one
 * line. It runs one
 * script at a time, each in its own isolate, which is discarded afterwards. The code that it runs may take over the
 * whole process, so it holds nothing but the request, and the parent does not trust its answers.
 *
 * Plain JavaScript, because stripping types would double the startup time.
 */
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { CodeError, compile } from './compile.mjs';
import { Room } from './room.mjs';

/** Code gets only the processor time that the service does not need. */
const niceness = 10;

/** Maximum characters of an error's message. */
const maxMessageLength = 1000;

const [addon = '', memoryMb = '', timeoutMs = ''] = process.argv.slice(2);
/** @type {{ ivm: typeof import('isolated-vm') }} */
const { ivm } = createRequire(import.meta.url)(addon);
const limits = { memoryLimit: Number(memoryMb) };
// A second limit after the parent's, in case the parent has died.
const timeout = { timeout: Number(timeoutMs) };

/**
 * @param {Room} room
 * @param {{ language: string, source: string, world?: { now: number, seed: number } }} request
 * @param {string} scope
 */
async function run({ isolate, context, verbs }, { language, source, world }, scope) {
  if (world !== undefined) await verbs.enter.apply(undefined, [world.now, world.seed], timeout);
  const compiled = compile(isolate, language, source);
  if (!(await verbs.isBody.apply(undefined, [compiled.body], timeout))) {
    throw new CodeError('The code closes a bracket that it did not open: it must be the body of one function.');
  }
  const body = await compiled.script.run(context, { ...timeout, reference: true });
  await verbs.start.apply(undefined, [body.derefInto(), scope], timeout);
  // At this point nothing more can happen.
  return await verbs.report.apply(undefined, [], { ...timeout, result: { copy: true } });
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof CodeError) return { kind: 'syntax', text: error.message, isSpent: error.brokeStripper };
  const message = error instanceof Error ? error.message : '';
  if (message.includes('was disposed during execution due to memory limit')) return { kind: 'memory' };
  if (message === 'Script execution timed out.') return { kind: 'timeout' };
  // Reports a rejected promise that nothing awaited.
  return {
    kind: 'error',
    text: `The code caused an error that nothing caught: ${message.slice(0, maxMessageLength)}`,
  };
}

/**
 * The console lines of a script that an uncaught error ended; empty if its isolate was disposed.
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

/** A room whose console lines are sent at once: it may be ended from outside, after which they cannot be read. */
function openRoom() {
  /** @type {Room} */
  const own = new Room(ivm, limits, (line) => {
    // Lines that arrive after the script was answered do not belong to a later one.
    if (own === room) process.stdout.write(`${JSON.stringify({ consoleLine: line })}\n`);
  });
  return own;
}

/** @type {Room | null} */
let room = openRoom();

/**
 * @param {string} code
 * @param {string} scope
 */
async function serve(code, scope) {
  /** @type {unknown} */
  let answer;
  const own = room ?? openRoom();
  try {
    answer = await run(own, JSON.parse(code), scope);
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
/** @type {string | null} */
let code = null;

/** @param {string} line */
function take(line) {
  if (code === null) {
    code = line;
    return;
  }
  void serve(code, line);
  code = null;
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const ends = chunk.split('\n');
  const begun = ends.pop() ?? '';
  for (const end of ends) {
    take([...pieces, end].join(''));
    pieces = [];
  }
  pieces.push(begun);
});
// The parent has ended. A script may be running: only a signal is certain to end it.
process.stdin.on('end', () => {
  process.kill(process.pid, 'SIGKILL');
  // The first process of a namespace is immune to its own signals; this ends it nevertheless.
  process.abort();
});

try {
  setPriority(niceness);
} catch {
  // Then it competes with the service for the processor, which is slower but not dangerous.
}
process.stdout.write('ready\n');
