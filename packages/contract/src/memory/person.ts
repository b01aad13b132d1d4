import { formatInstant, type KnownPerson, maxFactUser } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf, pageQuery } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

/** A person that workflows have identified. */
export const person = named(
  'Person',
  z.object({
    user_id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable().describe('In lower case.'),
    identities: z
      .array(z.object({ channel: z.string(), external_id: z.string() }))
      .describe('The ids by which channels know the person.'),
    created_at: timestamp,
  }),
  {
    description: 'A person that an `identify_user` has stored. It is not a user of this service.',
    example: {
      user_id: 'u_3f2a9c1e5b7d48609a1c2e3f4a5b6c7d',
      name: 'Ann',
      email: 'ann@example.com',
      identities: [{ channel: 'shop', external_id: '17' }],
      created_at: '2026-01-05T10:00:00.000000',
    },
  },
);

export const personList = pageOf('PersonList', person);

/** Selects people. */
export const personQuery = pageQuery.extend({
  q: z.string().max(200).optional().describe('Only people whose name or email address begins with this text.'),
});

/** Selects a person. */
export const onePersonQuery = z.object({
  user_id: z.string().min(1).max(maxFactUser).describe('The id of the person.'),
});

/** A person as the API shows them. */
export function presentPerson({ id, name, email, identities, createdAt }: KnownPerson): z.infer<typeof person> {
  return {
    user_id: id,
    name,
    email,
    identities: identities.map(({ channel, externalId }) => ({ channel, external_id: externalId })),
    created_at: formatInstant(createdAt),
  };
}
