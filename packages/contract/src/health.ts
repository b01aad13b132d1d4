import { z } from 'zod';
import { named } from './base/named.ts';

/** Whether the service is available. */
export const health = named(
  'Health',
  z.object({
    status: z.enum(['ok', 'unavailable']),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']),
    reason: z.string().optional().describe('Why the service is not available; only with the status `unavailable`.'),
  }),
  {
    description: 'Whether the service is available.',
    example: { status: 'ok', version: '0.1.0', database: 'ok' },
  },
);
