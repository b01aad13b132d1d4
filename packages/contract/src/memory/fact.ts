import { factScopes, formatInstant, type MemoryFact, maxFactKey, maxFactQuery, maxFactUser } from '@millrace/core';
import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';
import { pageOf, pageQuery } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

/** What workflows remember under a key. */
export const fact = named(
  'Fact',
  z.object({
    scope: z.enum(factScopes),
    workflow_slug: z.string().nullable().describe('The workflow, for the scope `workflow`.'),
    user_id: z.string().nullable().describe('The person, for the scope `user`.'),
    key: z.string(),
    value: json,
    created_at: timestamp,
    updated_at: timestamp,
  }),
  {
    description: 'What workflows remember under a key.',
    example: {
      scope: 'user',
      workflow_slug: null,
      user_id: 'customer-17',
      key: 'language',
      value: 'German',
      created_at: '2026-01-05T10:00:00.000000',
      updated_at: '2026-01-05T10:00:00.000000',
    },
  },
);
type Fact = z.infer<typeof fact>;

export const factList = pageOf('FactList', fact);

/** The body that stores a fact. */
export const newFactValue = named('NewFactValue', z.object({ value: json }), {
  description: 'The value of a fact.',
});

const space = z.object({
  scope: z
    .enum(factScopes)
    .default('workflow')
    .describe(
      'Whose facts: those of a workflow, those about a person, or those of all workflows of the caller. By default `workflow`.',
    ),
  workflow_slug: z
    .string()
    .optional()
    .describe('The workflow. Required for the scope `workflow`, rejected for others.'),
  user_id: z
    .string()
    .min(1)
    .max(maxFactUser)
    .optional()
    .describe(
      'The person, as the workflows of the caller know them. Required for the scope `user`, rejected for others.',
    ),
});

const factKey = z.string().min(1).max(maxFactKey);

/** Selects facts. */
export const factQuery = pageQuery.extend({
  ...space.shape,
  key: factKey.optional().describe('Only the fact with this key.'),
  q: z
    .string()
    .max(maxFactQuery)
    .optional()
    .describe('Only facts that have one of these words, the best first. By default all, the last changed first.'),
});

/** Selects one fact. */
export const oneFactQuery = space.extend({ key: factKey.describe('The key of the fact.') });

/** Selects facts to delete. */
export const deletedFactsQuery = space.extend({
  key: factKey.optional().describe('The key of the fact.'),
  all: z.enum(['true', 'false']).optional().describe('`true` in place of a `key` deletes all facts of the scope.'),
});

/** The owner of a fact as the API names it. */
export type FactPlace = Pick<Fact, 'scope' | 'workflow_slug' | 'user_id'>;

/** A fact as the API shows it. */
export function presentFact({ key, value, createdAt, updatedAt }: MemoryFact, place: FactPlace): Fact {
  return { ...place, key, value, created_at: formatInstant(createdAt), updated_at: formatInstant(updatedAt) };
}
