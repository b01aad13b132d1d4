import { type EvaluatedText, type Execution, formatInstant, type Json } from '@millrace/core';
import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';

/** Longer than any text that a person evaluates while writing it; the longest of a config is far longer. */
export const maxEvaluatedText = 65_536;

/** The text to evaluate, and the data. */
export const expressionRequest = named(
  'ExpressionRequest',
  z.object({
    text: z.string().max(maxEvaluatedText).describe('The text of a config, with expressions in `{{ }}`.'),
    bare: z.boolean().default(false).describe('Whether the text is an expression without braces.').optional(),
    node_id: z
      .string()
      .max(255)
      .describe('The node whose config contains the text: its last step decides which values exist.')
      .optional(),
    execution_id: z
      .uuidv7()
      .describe('The execution of this workflow whose data is used. Default: the newest one that has started.')
      .optional(),
  }),
  { description: 'A text to evaluate with the data of an execution.' },
);

const kinds = ['text', 'number', 'boolean', 'null', 'list', 'object'] as const;

/** The result of an evaluation. */
export const expressionResult = named(
  'ExpressionResult',
  z.object({
    status: z
      .enum(['value', 'no_data', 'error'])
      .describe('`no_data`: the workflow has no execution yet, and the text needs data.'),
    value: json.describe('The value; null if there is none. Of a long value, the beginning of its JSON text.'),
    type: z.enum(kinds).nullable().describe('The type of the value; null if there is none.'),
    is_truncated: z.boolean().describe('Whether `value` is only the beginning.'),
    error: z
      .object({
        message: z.string(),
        line: z.int().nullable().describe('From 1; null if the error has no place in the text.'),
        column: z.int().nullable(),
        offset: z.int().nullable().describe('In characters, from 0.'),
      })
      .nullable(),
    execution: z
      .object({ execution_id: z.uuidv7(), status: z.string(), started_at: timestamp.nullable() })
      .nullable()
      .describe('The execution whose data was used; null if there is none.'),
  }),
  {
    description: 'The value of a text with expressions, as a step would get it.',
    example: {
      status: 'value',
      value: 'Hello, Ada!',
      type: 'text',
      is_truncated: false,
      error: null,
      execution: {
        execution_id: '0190b3a0-7c4e-7d5a-8f00-000000000001',
        status: 'completed',
        started_at: '2026-03-20T10:00:00.000000',
      },
    },
  },
);
type ResultBody = z.infer<typeof expressionResult>;

/** More JSON than a preview shows. */
export const maxShownValue = 65_536;

/** The result of an evaluation, as the API shows it. @param run the execution whose data was used */
export function presentEvaluatedText(evaluated: EvaluatedText | null, run: Execution | null): ResultBody {
  const execution = run && {
    execution_id: run.id,
    status: run.status,
    started_at: run.startedAt === null ? null : formatInstant(run.startedAt),
  };
  const nothing = { value: null, type: null, is_truncated: false, error: null, execution };
  if (evaluated === null) return { ...nothing, status: 'no_data' };
  if (evaluated.kind === 'error') {
    const { line = null, column = null, offset = null } = evaluated.place ?? {};
    return { ...nothing, status: 'error', error: { message: evaluated.message, line, column, offset } };
  }
  return { ...nothing, status: 'value', type: kindOf(evaluated.value), ...shownValue(evaluated.value) };
}

function shownValue(value: Json): Pick<ResultBody, 'value' | 'is_truncated'> {
  const text = JSON.stringify(value);
  if (text.length <= maxShownValue) return { value, is_truncated: false };
  // The beginning may end within a surrogate pair.
  return { value: text.slice(0, maxShownValue).toWellFormed(), is_truncated: true };
}

function kindOf(value: Json): (typeof kinds)[number] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const type = typeof value;
  return type === 'string' ? 'text' : type === 'number' || type === 'boolean' ? type : 'object';
}
