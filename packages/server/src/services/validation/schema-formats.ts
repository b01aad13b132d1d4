import formatsModule, { type FormatMode, type FormatName } from 'ajv-formats';

// The package is CommonJS: its default export is a property of the imported default.
const ajvFormats = formatsModule.default;

/**
 * Dates, addresses and URIs are shorter; some format expressions need time that grows with the square of the length.
 */
const maxFormatLength = 8192;

// Any other format in a schema is information for people and is not checked.
const checked: readonly (readonly [FormatName, FormatMode])[] = [
  ['date', 'full'],
  ['time', 'full'],
  ['date-time', 'full'],
  ['duration', 'full'],
  ['email', 'fast'],
  ['hostname', 'full'],
  ['ipv4', 'full'],
  ['ipv6', 'full'],
  ['uri', 'fast'],
  ['uri-reference', 'fast'],
  ['uri-template', 'full'],
  ['uuid', 'full'],
  ['json-pointer', 'full'],
  ['relative-json-pointer', 'full'],
];

/** The formats of JSON Schema that are checked, each in bounded time for any text. */
export const checkedFormats: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  checked.map(([name, mode]) => {
    const test = formatTest(name, mode);
    return [name, (text: string) => text.length <= maxFormatLength && test(text)];
  }),
);

function formatTest(name: FormatName, mode: FormatMode): (text: string) => boolean {
  const format: unknown = ajvFormats.get(name, mode);
  const rule: unknown = isObjectWith(format, 'validate') ? format.validate : format;
  if (rule instanceof RegExp) return (text) => rule.test(text);
  if (typeof rule === 'function') return (text) => rule(text) === true;
  throw new Error(`no test for the format ${name}`);
}

function isObjectWith<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}
