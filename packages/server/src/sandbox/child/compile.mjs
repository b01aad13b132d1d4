/** Compiles a user's source, a function body in JavaScript or TypeScript, to a script. */
import { stripTypeScriptTypes } from 'node:module';

/** An error in the source, with its position. */
export class CodeError extends Error {
  /** Whether the type stripper crashed: then its memory can no longer be trusted. */
  brokeStripper = false;
}

/** The body begins on its own line, so that its columns are the user's; the line number is corrected again. */
const head = '(async function (input, trigger, nodes, loop, console) { "use strict";\n';
const tail = '\n})';
/** The stripper expects a program: this one has the line breaks of `head`. */
const typedHead = 'async function body() {\n';
const typedTail = '\n}';

/** @param {string} source */
const lineCount = (source) => source.split('\n').length;

/**
 * @param {string} source @param {{ message: string, line: number, column: number }} place
 */
function issue(source, { message, line, column }) {
  const where = line > lineCount(source) ? 'at the end of the code' : `at line ${line}, column ${column}`;
  return new CodeError(`${message} (${where})`);
}

function strippersEnd() {
  const end = new CodeError('The TypeScript cannot be read: it nests too deep.');
  end.brokeStripper = true;
  return end;
}

/**
 * The source without its types. Blanks replace them, so that every position is unchanged.
 * @param {string} source
 */
function withoutTypes(source) {
  try {
    const text = stripTypeScriptTypes(`${typedHead}${source}${typedTail}`, { mode: 'strip' });
    return text.slice(typedHead.length, -typedTail.length);
  } catch (error) {
    const { message, stack = '' } = /** @type {Error} */ (error);
    // The stripper's stack begins with `:<line>`, the line itself, and `^` under the position.
    const line = Number(/^:(\d+)\n/.exec(stack)?.[1] ?? Number.NaN) - 1;
    const column = (/^( *)\^+$/m.exec(stack)?.[1]?.length ?? Number.NaN) + 1;
    // Without a position the stripper itself failed (for example on extremely deep nesting).
    if (Number.isNaN(line + column)) throw strippersEnd();
    throw issue(source, { message: message.replace(' in strip-only mode', ': only types are removed'), line, column });
  }
}

/**
 * @param {import('isolated-vm').Isolate} isolate @param {string} language @param {string} source
 * @returns {{ script: import('isolated-vm').Script, body: string }}
 */
export function compile(isolate, language, source) {
  const body = language === 'typescript' ? withoutTypes(source) : source;
  try {
    const script = isolate.compileScriptSync(`${head}${body}${tail}`, { filename: 'code', lineOffset: -1 });
    return { script, body };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const place = /^(.*) \[code:(\d+):(\d+)\]$/s.exec(message);
    if (place === null) throw error;
    const [, text = '', line, column] = place;
    throw issue(source, { message: `SyntaxError: ${text}`, line: Number(line), column: Number(column) });
  }
}
