import type { Json } from '../../json.ts';
import type { Expression } from '../ast.ts';
import type { Evaluation } from '../evaluation.ts';
import { ExpressionError, placeAt } from '../expression-error.ts';
import type { Filter } from '../filters/filter.ts';
import { urlComponent, urlencode } from '../filters/text-filters.ts';
import { toText } from '../text.ts';
import type { MixedTemplate, Template } from './template.ts';

/** How a value is inserted into a URL. */
interface Entry {
  /** The expression ends with `urlencode`: its value is not encoded a second time. */
  readonly isEncoded: boolean;
  /** The value could become a `.` or `..` segment of the path, which leads to another path. */
  readonly mayClimb: boolean;
}

/** Four expressions of the greatest length; no server accepts a URL this long. */
const maxUrlLength = 65_536;
/** Each expression is checked against the whole URL around it: more of them would take quadratic time. */
const maxUrlExpressions = 100;

/**
 * A template of a URL. A value in the path, query or fragment is percent-encoded, so that it can neither add a part to
 * the URL nor end one. A value before the path (a base address, a scheme, a host) is inserted unchanged, and so is a
 * URL that is a single expression.
 */
export function urlTemplate(template: Template): Template {
  if (template.kind !== 'mixed') return template;
  const { text, parts } = template;
  if (text.length > maxUrlLength) {
    throw new ExpressionError(`A URL with expressions has at most ${maxUrlLength} characters.`, placeAt(text, 0));
  }
  if (parts.filter((part) => typeof part !== 'string').length > maxUrlExpressions) {
    throw new ExpressionError(`A URL has at most ${maxUrlExpressions} expressions.`, placeAt(text, 0));
  }
  return { ...template, parts: urlParts(template) };
}

function urlParts({ parts }: MixedTemplate): MixedTemplate['parts'] {
  let before = '';
  return parts.map((part, index) => {
    const prefix = before;
    before += typeof part === 'string' ? part : someValue;
    if (typeof part === 'string' || !isPastHost(prefix)) return part;
    const { root } = part;
    const isEncoded = root.kind === 'filter' && root.filter === urlencode;
    return withFilter(part, urlFilter({ isEncoded, mayClimb: mayClimb(prefix, parts.slice(index + 1)) }));
  });
}

/** Stands for a value of which only one thing is known: it is not a separator. */
const someValue = '\u0000';
/** Servers and browsers treat a backslash as a slash. */
const scheme = /^\s*[^/?#\\]*:[/\\]{2}/;

/** Whether a separator has ended the host or base address at the start of a URL. */
function isPastHost(prefix: string): boolean {
  return /[/?#\\]/.test(prefix.replace(scheme, ''));
}

/**
 * Whether a segment of the path consists only of values and dots. Dots have no meaning in the query and the fragment.
 */
function mayClimb(prefix: string, rest: MixedTemplate['parts']): boolean {
  if (/[?#]/.test(prefix)) return false;
  const after = rest.map((part) => (typeof part === 'string' ? part : someValue)).join('');
  const start = /[^/\\]*$/.exec(prefix)?.[0] ?? '';
  const end = /^[^/\\?#]*/.exec(after)?.[0] ?? '';
  return /^(?:\.|%2e|\0)*$/i.test(start + end);
}

/** The same expression with a filter applied to its value. */
function withFilter({ text, root }: Expression, filter: Filter): Expression {
  const { offset, end } = root;
  return { text, root: { kind: 'filter', input: root, filter, nameOffset: offset, args: [], offset, end } };
}

function urlFilter(entry: Entry): Filter {
  return {
    name: 'url',
    parameters: [],
    description: 'A value as a part of a URL.',
    apply: (value, _args, evaluation) => entered(value, entry, evaluation),
  };
}

function entered(value: Json, { isEncoded, mayClimb: isGuarded }: Entry, evaluation: Evaluation): string {
  const text = toText(value, evaluation);
  if (isGuarded && /^\.{1,2}$/.test(text)) {
    evaluation.fail(`The value '${text}' would lead to another path: a segment of a path must not be '.' or '..'.`);
  }
  const encoded = isEncoded ? text : urlComponent(text, evaluation);
  evaluation.checkLength(encoded.length);
  return encoded;
}
