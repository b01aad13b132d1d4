import { charactersPerStep, jsonCharactersPerStep } from '../base/meter.ts';
import type { Json } from '../json.ts';
import type { Evaluation } from './evaluation.ts';
import { jsonSize } from './json/json-size.ts';
import { maxTextLength } from './limits.ts';

/**
 * A value inside a text. Text is inserted unchanged and everything else as JSON, so null is `null` and true is `true`:
 * null stays visible as in Jinja, but as JSON that the receiver of the text can parse.
 */
export function toText(value: Json, evaluation: Evaluation): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? toJson(value, 0, evaluation) : String(value);
}

/** Consumes the steps for writing a value as JSON, and returns its size. Afterwards, code may recurse over it. */
export function spendOnJson(value: Json, evaluation: Evaluation): number {
  const size = jsonSize(value, maxTextLength);
  if (size > maxTextLength) evaluation.fail('The value is too large, or nested too deep, to be written as JSON.');
  evaluation.spend(1 + size / jsonCharactersPerStep);
  return size;
}

/** A value's JSON, on one line or indented. */
export function toJson(value: Json, indent: number, evaluation: Evaluation): string {
  spendOnJson(value, evaluation);
  const text = JSON.stringify(value, null, indent);
  evaluation.checkLength(text.length);
  return text;
}

/** Creating a separate string for each character is slower than any other text operation. */
const splitCharactersPerStep = 16;

const surrogate = /[\ud800-\udfff]/;

/**
 * A text as a sequence of its characters, so that an emoji counts as one and is never split. A text of plain characters
 * is already such a sequence.
 */
export function charactersOf(text: string, evaluation: Evaluation): string | readonly string[] {
  if (!surrogate.test(text)) {
    evaluation.spend(text.length / charactersPerStep);
    return text;
  }
  evaluation.spend(text.length / splitCharactersPerStep);
  return Array.from(text);
}

/** The text made of some characters. */
export function fromCharacters(characters: string | readonly string[]): string {
  return typeof characters === 'string' ? characters : characters.join('');
}
