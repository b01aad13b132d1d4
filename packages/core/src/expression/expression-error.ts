import { StepError } from '../errors.ts';

/** A position in a text, as an editor shows it: lines and columns count from 1, the offset from 0. */
export interface Place {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The position of an offset. */
export function placeAt(text: string, offset: number): Place {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { offset, line, column: offset - lineStart + 1 };
}

/**
 * An expression that cannot be parsed or evaluated. `message` names the error, its position and the fix; `reason` is
 * the same without the position. Neither ever quotes data, only the expression's own words and names near them.
 */
export class ExpressionError extends StepError implements Place {
  readonly reason: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  /** The path of the expression in a config document, e.g. `fields.total`; empty for an expression by itself. */
  readonly configPath: string;

  constructor(reason: string, place: Place, configPath = '') {
    const where = `(line ${place.line}, column ${place.column})`;
    super('expression', `${configPath === '' ? '' : `${configPath}: `}${reason} ${where}`);
    this.name = 'ExpressionError';
    this.reason = reason;
    this.offset = place.offset;
    this.line = place.line;
    this.column = place.column;
    this.configPath = configPath;
  }
}

/** The same error with its path in a config document. Other errors are returned unchanged. */
export function inConfig(error: unknown, configPath: string): unknown {
  return error instanceof ExpressionError ? new ExpressionError(error.reason, error, configPath) : error;
}
