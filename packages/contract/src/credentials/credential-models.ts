import { z } from 'zod';

/** Whether the key of an LLM credential works. */
export const credentialTest = z
  .object({ ok: z.boolean(), error: z.string().describe('What is wrong; empty when nothing is.') })
  .register(z.globalRegistry, { id: 'CredentialTest', description: 'Whether the key of an LLM credential works.' });

/** The models of a provider, by id. */
export const modelList = z.array(z.object({ id: z.string(), name: z.string() }));
