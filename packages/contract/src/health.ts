import { z } from 'zod';

/** Whether the service works. */
export const health = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']),
  })
  .register(z.globalRegistry, { id: 'Health', description: 'Whether the service works.' });
