import { z } from 'zod';
import type { Expression } from '../expression/ast.ts';
import { evaluate, find } from '../expression/evaluate.ts';
import { ExpressionError } from '../expression/expression-error.ts';
import { parseExpression } from '../expression/parse.ts';
import type { Scope } from '../expression/scope.ts';
import type { Json } from '../json.ts';
import {
  type ConditionPorts,
  conditionHolds,
  type Operator,
  operators,
  takesMissing,
  takesValue,
} from './conditions.ts';

/** More rules than anyone can review, and few enough to test on every item of a long list. */
const maxRules = 100;

const shape = {
  label: z.string().max(200).describe('The name of the rule on the canvas and in messages.').optional(),
  field: z
    .string()
    .min(1)
    .describe('The path to the value to compare, as in an expression but without braces, e.g. `trigger.payload.kind`.'),
  operator: z.enum(operators).describe('How the value of `field` is compared.'),
  value: z.json().describe('The value to compare with. May contain expressions.').optional(),
};
const id = z.string().min(1).max(200);

function isComplete(rule: { operator: Operator; value?: Json | undefined }): boolean {
  return rule.value !== undefined || !takesValue(rule.operator);
}
const incomplete = { path: ['value'], error: 'This operator requires a value.' };

/** One condition on a value that a path names. */
export const rule = z
  .strictObject({ id: id.describe('An ID of your choice for the rule.').optional(), ...shape })
  .refine(isComplete, incomplete);

/** A rule that selects a route if it holds. */
export const routeRule = z
  .strictObject({ id: id.describe('The route that the switch takes if the rule matches.'), ...shape })
  .refine(isComplete, incomplete);

export type Rule = z.infer<typeof rule>;

export const rules = z.array(rule).max(maxRules);
export const routeRules = z.array(routeRule).max(maxRules);

/** Parsed paths by rule, so that a rule that is used by many steps is parsed once. */
const parsedFields = new WeakMap<Rule, Expression>();

/**
 * Whether a rule holds for the value of its field in a scope.
 * @throws StepError `expression` if the field does not exist, unless the operator tests that; else like conditionHolds
 */
export function ruleHolds(rule: Rule, scope: Scope, ports: ConditionPorts): boolean {
  return conditionHolds(rule, fieldValue(rule, scope, ports), ports);
}

function fieldValue(rule: Rule, scope: Scope, { meter }: ConditionPorts): Json | undefined {
  const path = parsedFields.get(rule) ?? parseExpression(rule.field);
  parsedFields.set(rule, path);
  if (!takesMissing(rule.operator)) return evaluate(path, scope, { meter });
  try {
    return find(path, scope, { meter });
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
