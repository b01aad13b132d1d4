import { exactNumber } from '../../base/exact-json.ts';
import { excessOfNumber, numberOf } from '../../base/resolved.ts';
import type { Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { integer, number } from './arguments.ts';
import type { Filter } from './filter.ts';

/** A double has at most this many decimal digits. */
const mostDigits = 15;

const round: Filter = {
  name: 'round',
  parameters: [
    { name: 'precision', default: 0 },
    { name: 'method', default: 'common' },
  ],
  description:
    'The number, rounded to `precision` decimal places; `method` is `common` (halves are rounded away from zero), `ceil` or `floor`.',
  apply(value, args, evaluation) {
    const input = number(value, "The input of 'round'", evaluation);
    const precision = integer(args[0], { what: "'precision'", least: -mostDigits, most: mostDigits }, evaluation);
    const scaled = scale(input, precision);
    const rounded = scale(roundBy(args[1], scaled, evaluation), -precision);
    return Number.isFinite(rounded) ? rounded : input;
  },
};

function roundBy(method: Json | undefined, value: number, evaluation: Evaluation): number {
  switch (method) {
    case 'common':
      return Math.sign(value) * Math.round(Math.abs(value));
    case 'ceil':
      return Math.ceil(value);
    case 'floor':
      return Math.floor(value);
    default:
      evaluation.fail("'method' must be 'common', 'ceil' or 'floor'.");
  }
}

/** Moves the decimal point of a number as it is written, so that 1.005 rounded to two digits is 1.01 and not 1. */
function scale(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** A filter that converts to a number, also from text; other input gives the default, or an error without a default. */
function conversion(name: string, description: string, convert: (input: number, given: Json) => number): Filter {
  return {
    name,
    parameters: [{ name: 'default', optional: true }],
    description,
    apply(value, args, evaluation) {
      const input = typeof value === 'boolean' ? Number(value) : numberOf(value);
      const isInexact =
        name === 'int' && input !== null && typeof value === 'string' && hasInexactInteger(value.trim());
      if (input !== null && !isInexact) return convert(input, value);
      if (args[0] !== undefined) return args[0];
      if (isInexact) return evaluation.fail(`The input of '${name}' has too many digits to be exact: leave it text.`);
      const excess = input === null ? excessOfNumber(typeof value === 'string' ? value.trim() : value) : null;
      if (excess !== null) return evaluation.fail(`The input of '${name}' ${excess}.`);
      return evaluation.fail(`The input of '${name}' is not a number: add a default, as in '${name}(0)'.`);
    },
  };
}

/** Whether a double rounds the digits before the point. */
function hasInexactInteger(number: string): boolean {
  return typeof exactNumber(number.replace(/\.\d*$/, '')) === 'string';
}

/** A large number with a fraction is rounded to the next whole one already when it is read. */
function truncated(input: number, given: Json): number {
  const whole = typeof given === 'string' ? /^[-+]?\d+(?=\.\d*$)/.exec(given.trim())?.[0] : undefined;
  return whole === undefined ? Math.trunc(input) : Number(whole);
}

/** Filters that work on numbers. */
export const numberFilters: readonly Filter[] = [
  {
    name: 'abs',
    parameters: [],
    description: 'The absolute value of the number.',
    apply: (value, _args, evaluation) => Math.abs(number(value, "The input of 'abs'", evaluation)),
  },
  round,
  conversion(
    'int',
    'The number, or the number in a text, truncated to a whole number; otherwise `default`.',
    truncated,
  ),
  conversion('float', 'The number in a text; otherwise `default`.', (input) => input),
];
