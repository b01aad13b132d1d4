import { z } from 'zod';
import { listOf, named } from '../base/named.ts';

/** Whether the key of an LLM credential works. */
export const credentialTest = named(
  'CredentialTest',
  z.object({ ok: z.boolean(), error: z.string().describe('The error; empty if there is none.') }),
  { description: 'Whether the key of an LLM credential works.', example: { ok: true, error: '' } },
);

/** The models of a provider, by id. */
export const modelList = listOf(
  'ModelList',
  named('Model', z.object({ id: z.string(), name: z.string() }), {
    description: 'A model of a provider.',
    example: { id: 'small-1', name: 'small-1' },
  }),
);
