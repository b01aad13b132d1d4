/** Starts a script and records its result, inside the isolate. Evaluated before the script. */
import { exec, isBody, parse, settled, short, stringify } from './intrinsics.mjs';
import { JsonWriter, Rejection } from './json-writer.mjs';
import { ScriptConsole, shown } from './script-console.mjs';
import { enter } from './virtual-world.mjs';

// They allow memory that the isolate does not count, and endless waits; no function needs them.
for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, name);

/** Maximum characters of an error's message. */
const maxMessageLength = 1000;

/** @type {(line: string) => void} */
let receive = () => undefined;
const ownConsole = new ScriptConsole((line) => receive(line));
let answer = {
  kind: 'error',
  text: 'The code waits for something that never happens: there are no timers and no calls here.',
};

/** Describes a thrown value, with its position in the user's code. It may be anything. @param {unknown} thrown */
function explain(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return `The code threw ${short(shown(thrown), maxMessageLength)}.`;
  const { name, message, stack } = /** @type {Record<string, unknown>} */ (thrown);
  const words = typeof message === 'string' ? message : shown(thrown);
  const place = typeof stack === 'string' ? exec(/\bcode:(\d+):(\d+)/, stack) : null;
  const where = place === null ? '' : ` (at line ${place[1]}, column ${place[2]})`;
  return short(`${typeof name === 'string' ? name : 'Error'}: ${words}`, maxMessageLength) + where;
}

/** @param {unknown} thrown */
function fail(thrown) {
  try {
    if (thrown instanceof Rejection) answer = { kind: 'output', text: thrown.message };
    else answer = { kind: 'error', text: explain(thrown) };
  } catch {
    answer = { kind: 'error', text: 'The code threw something that cannot be shown.' };
  }
}

/** @param {unknown} value */
function succeed(value) {
  try {
    const writer = new JsonWriter();
    writer.write(value, 'output');
    answer = { kind: 'value', text: writer.text };
  } catch (thrown) {
    fail(thrown);
  }
}

export { enter, isBody };

/** Sets the listener for each line of the console as it is written. @param {(line: string) => void} listener */
export function listen(listener) {
  receive = listener;
}

/** @param {(...scope: unknown[]) => Promise<unknown>} body @param {string} scope JSON */
export function start(body, scope) {
  const { input, trigger, nodes, loop } = parse(scope);
  settled(body(input, trigger, nodes, loop, ownConsole.asSeen()), succeed, fail);
}

/** The result of the script as JSON. Read when nothing more can happen. */
export const report = () => stringify({ kind: answer.kind, text: answer.text, lines: ownConsole.lines });
