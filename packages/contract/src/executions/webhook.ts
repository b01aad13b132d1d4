import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';

/** The response in the mode `immediately`: a run was accepted and is on disk. */
export const webhookAccepted = named(
  'WebhookAccepted',
  z.object({
    status: z.literal('accepted'),
    execution_id: z.uuidv7(),
    message: z.literal('Workflow execution started'),
  }),
  { description: 'The execution was accepted and stored.' },
);

/** A synchronous webhook timed out: its run continues. */
const webhookLate = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution is still running'),
});

/** An event of a git host that no trigger starts for. */
const webhookIgnored = z.object({ status: z.literal('ignored'), message: z.string() });

/**
 * The response of a webhook: the run was accepted or continues, or, in the synchronous modes, the answer of the
 * workflow.
 */
export const webhookAnswer = named('WebhookAnswer', z.union([webhookAccepted, webhookLate, webhookIgnored, json]), {
  description: 'The response of the service or of the workflow.',
  example: {
    status: 'accepted',
    execution_id: '01980000-0000-7000-8000-000000000000',
    message: 'Workflow execution started',
  },
});

/** A synchronous webhook's run ended without an answer. */
export const webhookFailed = named('WebhookFailed', z.object({ detail: z.string(), execution_id: z.uuidv7() }), {
  description: 'That the execution failed or was cancelled; the execution contains the reason.',
  example: {
    detail: 'The workflow execution failed.',
    execution_id: '01980000-0000-7000-8000-000000000000',
  },
});

/** The response to the messaging platform for an update of a bot. */
export const botUpdateReceived = named('BotUpdateReceived', z.object({ ok: z.literal(true) }), {
  description: 'The update is stored, and the platform need not send it again.',
  example: { ok: true },
});
