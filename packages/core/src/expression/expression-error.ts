import { StepError } from '../errors.ts';

/** A place in a text, as an editor shows it: lines and columns count from 1, the offset from 0. */
export interface Place {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The place of an offset. */
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
 * An expression that cannot be read or evaluated. `message` says what, where and how to mend it; `reason` is the same
 * without the place. Neither ever quotes data, only the expression's own words and names near them.
 */
export class ExpressionError extends StepError implements Place {
  readonly reason: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  /** Where in a config document the expression stands, e.g. `fields.total`; empty for an expression by itself. */
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

/** The same error, naming where in a config document it happened. Other errors stay as they are. */
export function inConfig(error: unknown, configPath: string): unknown {
  return error instanceof ExpressionError ? new ExpressionError(error.reason, error, configPath) : error;
}
