import { asObject, asText } from '../base/resolved.ts';
import { isArray, type Json } from '../json.ts';

/**
 * The URL with names and values of a config object added to its query, encoded. A list repeats its name; null omits the
 * name.
 * @throws StepError `config` for a value that a query cannot represent
 */
export function withQuery(url: string, value: unknown, field: string): string {
  const query = encodedFields(value, field);
  if (query === '') return url;
  const [address = '', ...fragment] = url.split('#');
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return [`${address}${separator}${query}`, ...fragment].join('#');
}

/**
 * Names and values of a config object in the encoding of a query or a form: `a=1&b=2`. A list repeats its name; null
 * omits the name.
 * @throws StepError `config` for a value that cannot be converted to text
 */
export function encodedFields(value: unknown, field: string): string {
  return fieldsOf(value, field)
    .map(([name, item]) => `${encode(name)}=${encode(asText(item, `${field}.${name}`))}`)
    .join('&');
}

/** The names and values of a config object, one by one: a list repeats its name; null omits the name. */
export function fieldsOf(value: unknown, field: string): readonly (readonly [name: string, value: Json])[] {
  return Object.entries(asObject(value, field))
    .flatMap(([name, given]) => (isArray(given) ? given : [given]).map((item) => [name, item] as const))
    .filter(([, item]) => item !== null);
}

/** The URL with one parameter of its query set, replacing all parameters of its name. */
export function withParameter(url: string, name: string, value: string): string {
  return withQuery(
    withoutParameter(url, (given) => given === name),
    { [name]: value },
    'query',
  );
}

/** The URL without the query parameters whose name and value match a predicate. */
export function withoutParameter(url: string, isMeant: (name: string, value: string) => boolean): string {
  const [address = '', ...fragment] = url.split('#');
  const [path = '', ...rest] = address.split('?');
  if (rest.length === 0) return url;
  const kept = rest
    .join('?')
    .split('&')
    .filter((pair) => {
      const [name = '', ...value] = pair.split('=');
      return !isMeant(decode(name), decode(value.join('=')));
    });
  return [[path, ...(kept.length === 0 ? [] : [kept.join('&')])].join('?'), ...fragment].join('#');
}

/** The names in the query of a URL, as a server reads them. */
export function parameterNames(url: string): readonly string[] {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? [];
  return query.split('&').flatMap((pair) => (pair === '' ? [] : [decode(pair.split('=', 1)[0] ?? '')]));
}

/** The decoded text as a server reads it; invalid encoding is left unchanged. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function encode(text: string): string {
  // A lone half of a surrogate pair cannot be encoded: it becomes the replacement character.
  return encodeURIComponent(text.toWellFormed());
}
