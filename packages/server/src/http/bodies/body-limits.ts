import { exceededLimit, type JsonLimits, Problem } from '@millrace/core';

const ampersand = 0x26;

/** Checks the structure of a JSON text before any recursive function reads it. @throws Problem `invalid` */
export function checkJsonLimits(text: string, limits: JsonLimits): void {
  const exceeded = exceededLimit(text, limits);
  if (exceeded === 'depth') reject('too_deep', `JSON may be nested at most ${limits.depth} levels deep`);
  if (exceeded === 'values') reject('too_many_values', `JSON may hold at most ${limits.values} values`);
  if (exceeded === 'containers')
    reject('too_many_values', `JSON may hold at most ${limits.containers} lists and objects`);
  if (exceeded === 'names') {
    reject(
      'too_many_names',
      `The objects of JSON may have at most ${limits.names} different names; use a list of rows`,
    );
  }
  if (exceeded !== null) reject('too_long', `A string may have at most ${limits.stringLength} characters`);
}

/** Checks the number of fields of a form, which is flat. @throws Problem `invalid` */
export function checkFormLimits(bytes: Uint8Array, values: number): void {
  let count = 1;
  for (let at = bytes.indexOf(ampersand); at !== -1; at = bytes.indexOf(ampersand, at + 1)) count += 1;
  if (count > values) reject('too_many_values', `A form may have at most ${values} fields`);
}

function reject(type: string, msg: string): never {
  throw new Problem('invalid', [{ type, loc: ['body'], msg }]);
}
