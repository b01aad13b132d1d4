import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';

/** A run was accepted and is on disk. What the mode `immediately` answers. */
export const webhookAccepted = named(
  'WebhookAccepted',
  z.object({
    status: z.literal('accepted'),
    execution_id: z.uuidv7(),
    message: z.literal('Workflow execution started'),
  }),
  { description: 'The execution was accepted and is stored.' },
);

/** A synchronous webhook's run takes longer than its time-out: it goes on. */
const webhookLate = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution is still running'),
});

/** What a webhook answers: that the run is accepted or goes on, or in the synchronous modes what the workflow says. */
export const webhookAnswer = named('WebhookAnswer', z.union([webhookAccepted, webhookLate, json]), {
  description: 'The answer of the service, or what the workflow answers.',
  example: {
    status: 'accepted',
    execution_id: '01980000-0000-7000-8000-000000000000',
    message: 'Workflow execution started',
  },
});

/** A synchronous webhook's run ended without an answer. */
export const webhookFailed = named('WebhookFailed', z.object({ detail: z.string(), execution_id: z.uuidv7() }), {
  description: 'Why an execution has no answer.',
  example: {
    detail: 'The workflow execution failed.',
    execution_id: '01980000-0000-7000-8000-000000000000',
  },
});
