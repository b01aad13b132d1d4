import { exactJson } from '../../base/exact-json.ts';
import { jsonCharactersPerStep } from '../../base/meter.ts';
import type { Json } from '../../json.ts';
import { jsonSize } from '../json/json-size.ts';
import { maxResultSize } from '../limits.ts';
import { toJson } from '../text.ts';
import { integer, reject } from './arguments.ts';
import type { Filter } from './filter.ts';

/** More indentation than is useful; JavaScript's own limit is not much higher. */
const mostIndent = 8;

/** Filters that convert between values and JSON. */
export const jsonFilters: readonly Filter[] = [
  {
    name: 'json',
    aliases: ['tojson'],
    parameters: [{ name: 'indent', default: 0 }],
    description: 'The value as JSON, on one line, or indented by `indent` spaces.',
    apply(value, args, evaluation) {
      const indent = integer(args[0], { what: "'indent'", least: 0, most: mostIndent }, evaluation);
      return toJson(value, indent, evaluation);
    },
  },
  {
    name: 'fromjson',
    parameters: [],
    description: 'The value of a JSON text. A number with more digits than a number holds exactly is text.',
    apply(value, _args, evaluation) {
      if (typeof value !== 'string') return reject(value, "The input of 'fromjson'", 'text', evaluation);
      evaluation.checkLength(value.length);
      evaluation.spend(value.length / jsonCharactersPerStep);
      const parsed = parsedJson(value) ?? evaluation.fail("The input of 'fromjson' is not valid JSON.");
      if (jsonSize(parsed.value, maxResultSize) > maxResultSize) evaluation.fail('The JSON is nested too deep.');
      return parsed.value;
    },
  },
];

/** Wrapped in an object, because null is valid JSON. */
function parsedJson(text: string): { readonly value: Json } | undefined {
  try {
    return { value: exactJson(text) };
  } catch {
    return undefined;
  }
}
