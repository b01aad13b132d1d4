import { exactNumber } from '../../base/exact-json.ts';

/**
 * The value of plain text in the core schema of YAML 1.2: null, a boolean, a number, or the text itself, also for a number
 * that a double cannot hold.
 */
export function resolvePlain(text: string): string | number | boolean | null {
  // Most text begins with a letter that no other value begins with, so one comparison is enough.
  if (!startOfOther.test(text)) return text;
  if (nulls.test(text)) return null;
  if (booleans.test(text)) return text[0] === 't' || text[0] === 'T';
  if (integer.test(text) || float.test(text)) return exactValue(text);
  // `Number` accepts the prefixes only without a sign, as does the schema.
  if (octal.test(text) || hexadecimal.test(text)) return safeInteger(text);
  if (infinity.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return notANumber.test(text) ? Number.NaN : text;
}

/** Whether a number loses a character that matters in codes: the zero in front of a post code, the plus of a phone number. */
export function losesCharacters(text: string): boolean {
  return /^[-+]?0[0-9]/.test(text) || /^\+[0-9]+$/.test(text);
}

function exactValue(text: string): number | string {
  const value = exactNumber(text);
  // JSON has no negative zero.
  return typeof value === 'number' ? value + 0 : value;
}

function safeInteger(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

const startOfOther = /^(?:$|[~nNtTfF.+\-0-9])/;
const nulls = /^(?:|~|null|Null|NULL)$/;
const booleans = /^(?:true|True|TRUE|false|False|FALSE)$/;
const integer = /^[-+]?[0-9]+$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const octal = /^0o[0-7]+$/;
const hexadecimal = /^0x[0-9a-fA-F]+$/;
const infinity = /^[-+]?\.(?:inf|Inf|INF)$/;
const notANumber = /^\.(?:nan|NaN|NAN)$/;
