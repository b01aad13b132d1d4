import type { Json } from '../json.ts';
import type { Evaluation } from './evaluation.ts';
import { jsonSize } from './json-size.ts';
import { charactersPerStep, jsonCharactersPerStep, maxTextLength } from './limits.ts';

/**
 * A value inside a text. Text stands as it is and everything else as its JSON, so null is `null` and true is `true`:
 * like Jinja's `None`, a null is seen, and unlike it, what receives the text understands it.
 */
export function toText(value: Json, evaluation: Evaluation): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? toJson(value, 0, evaluation) : String(value);
}

/** A value's JSON, on one line or indented. */
export function toJson(value: Json, indent: number, evaluation: Evaluation): string {
  const size = jsonSize(value, maxTextLength);
  if (size > maxTextLength) evaluation.fail('The value is too large, or nested too deep, to be written as JSON.');
  evaluation.spend(1 + size / jsonCharactersPerStep);
  const text = JSON.stringify(value, null, indent);
  evaluation.checkLength(text.length);
  return text;
}

/** Making a text of its own of each character is slower than anything else done with text. */
const splitCharactersPerStep = 16;

const surrogate = /[\ud800-\udfff]/;

/**
 * A text as a sequence of its characters, so that an emoji is one and is never cut in half. A text of plain
 * characters is such a sequence itself.
 */
export function charactersOf(text: string, evaluation: Evaluation): string | readonly string[] {
  if (!surrogate.test(text)) {
    evaluation.spend(text.length / charactersPerStep);
    return text;
  }
  evaluation.spend(text.length / splitCharactersPerStep);
  return Array.from(text);
}

/** The text of some characters. */
export function fromCharacters(characters: string | readonly string[]): string {
  return typeof characters === 'string' ? characters : characters.join('');
}
