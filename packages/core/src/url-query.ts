import { isArray, type Json } from './json.ts';
import { asObject, asText } from './resolved.ts';

/**
 * The address with names and values of a config object added to its query, encoded. A list repeats its name; null
 * leaves the name out.
 * @throws StepError `config` for a value that cannot stand in a query
 */
export function withQuery(url: string, value: unknown, field: string): string {
  const query = Object.entries(asObject(value, field))
    .flatMap(([name, given]) => (isArray(given) ? given : [given]).map((item): [string, Json] => [name, item]))
    .filter(([, item]) => item !== null)
    .map(([name, item]) => `${encode(name)}=${encode(asText(item, `${field}.${name}`))}`)
    .join('&');
  if (query === '') return url;
  const [address = '', ...fragment] = url.split('#');
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return [`${address}${separator}${query}`, ...fragment].join('#');
}

function encode(text: string): string {
  // A lone half of a surrogate pair cannot be encoded: it becomes the replacement character.
  return encodeURIComponent(text.toWellFormed());
}
