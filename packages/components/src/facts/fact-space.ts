import {
  argumentsBeginAt,
  asText,
  type FactSpace,
  factScopes,
  type Json,
  type JsonObject,
  maxFactKey,
  maxFactUser,
  type SettingIssue,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';

/** The keys of a config that say whose facts a step uses. */
export const factSpaceKeys = {
  scope: z
    .enum(factScopes)
    .describe(
      'Who shares the facts: the executions of this workflow, everything about one person (`user_id`), or all workflows of the owner.',
    )
    .meta({ default: 'workflow', examples: ['user'] })
    .optional(),
  user_id: z
    .string()
    .min(1)
    .describe(
      `The person of scope \`user\`: any text of 1 to ${maxFactUser} characters, such as the \`user_id\` of an \`identify_user\`. It cannot come from the arguments of a model.`,
    )
    .meta({ ...ui({ when: { scope: ['user'] } }), examples: ['{{ person.user_id }}'] })
    .optional(),
};

interface SpaceConfig {
  readonly scope?: FactSpace['scope'] | undefined;
  readonly user_id?: string | undefined;
}

/** Whose facts a step uses. @throws StepError `config` */
export function spaceIn({ scope = 'workflow', user_id: userId }: SpaceConfig): FactSpace {
  if (scope !== 'user') return { scope };
  if (userId === undefined) throw new StepError('config', "'user_id' is missing: set whose facts these are.");
  return { scope, userId: lengthChecked(asText(userId, 'user_id'), 'user_id', maxFactUser) };
}

/** A key of a fact. @throws StepError `config` */
export function factKeyIn(given: Json): string {
  return lengthChecked(asText(given, 'key'), 'key', maxFactKey);
}

function lengthChecked(text: string, field: string, most: number): string {
  if (text.length >= 1 && text.length <= most) return text;
  throw new StepError('config', `'${field}' must have 1 to ${most} characters, but it has ${text.length}.`);
}

/** Reports a `user_id` that has no effect, and one that a model could choose. */
export function factSpaceIssues({ scope, user_id: userId }: JsonObject): readonly SettingIssue[] {
  if (typeof userId !== 'string') return [];
  if (scope !== 'user') return [issue("is only for the scope 'user': remove it", true)];
  if (argumentsBeginAt(userId) === null) return [];
  return [issue('cannot come from `args`: a model could then read what is known about another person', false)];
}

function issue(message: string, isKey: boolean): SettingIssue {
  return { path: ['user_id'], isKey, severity: 'error', message };
}
