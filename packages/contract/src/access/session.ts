import { z } from 'zod';
import { named } from '../base/named.ts';
import { loginRequest, user } from './user.ts';

/** One of the ways to log a browser in. */
export const sessionRequest = named(
  'SessionRequest',
  z.union([
    z.object(loginRequest.shape),
    z.object({ api_key: z.string().max(200).describe('An API key of scope `full`.') }),
    z.object({ setup_token: z.string().max(200).describe('The token in the link that the service prints at start.') }),
  ]),
  { description: 'A name and a password, an API key, or the token of the setup link.' },
);

/** Who is logged in to a browser. */
export const sessionState = named(
  'SessionState',
  z.object({
    user: user.nullable().describe('Null if nobody is logged in to this browser.'),
    setup_needed: z.boolean().describe('True until somebody has logged in, or an admin has a password.'),
  }),
  {
    description: 'Who is logged in to a browser.',
    example: {
      user: { id: 2, username: 'operator', is_admin: false, created_at: '2026-01-31T12:00:00.000000' },
      setup_needed: false,
    },
  },
);

/** Whether the service still waits for its first login. */
export const setupState = named(
  'SetupState',
  z.object({
    needed: z.boolean().describe('True until somebody has logged in, or an admin has a password.'),
  }),
  { description: 'Whether the service waits for its first login.', example: { needed: false } },
);
