import { StepError } from '../../errors.ts';
import { isObject, type Json } from '../../json.ts';
import type { Instant } from '../../time.ts';
import { ExpressionError, type Place } from '../expression-error.ts';
import type { Scope } from '../scope.ts';
import { compileConfig, resolveConfig } from './config.ts';

/** A text of a config. */
export interface ConfigTextSource {
  readonly text: string;
  /** Whether the text is an expression without braces. */
  readonly isBare: boolean;
}

/** What a text of a config evaluates to: its value, or why it has none, and where in the text. */
export type EvaluatedText =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'error'; readonly message: string; readonly place: Place | null };

/** Evaluates a text of a config as a step would, without a step. */
export function evaluateText({ text, isBare }: ConfigTextSource, scope: Scope, now: Instant): EvaluatedText {
  try {
    const config = compileConfig({ text }, isBare ? { bareExpressions: ['text'] } : {});
    const resolved = resolveConfig(config, scope, { now });
    return { kind: 'value', value: isObject(resolved) ? (resolved.text ?? null) : null };
  } catch (error) {
    if (error instanceof ExpressionError) {
      const { reason, offset, line, column } = error;
      return { kind: 'error', message: reason, place: { offset, line, column } };
    }
    if (error instanceof StepError) return { kind: 'error', message: error.message, place: null };
    throw error;
  }
}
