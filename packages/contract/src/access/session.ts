import { z } from 'zod';
import { named } from '../base/named.ts';
import { loginRequest } from './user.ts';

/** One way to prove who logs in. */
export const sessionRequest = named(
  'SessionRequest',
  z.union([
    z.object(loginRequest.shape),
    z.object({ api_key: z.string().max(200).describe('A key of scope `full`.') }),
    z.object({
      setup_token: z.string().max(200).describe('The token of the link that the service prints at its start.'),
    }),
  ]),
  { description: 'A password, an API key, or the token of the first start.' },
);

/** Whether somebody has logged in. */
export const setupState = named(
  'SetupState',
  z.object({ needed: z.boolean().describe('Whether nobody has logged in yet.') }),
  {
    description: 'Whether the service waits for its first login.',
    example: { needed: false },
  },
);
