import { z } from 'zod';

/** A run was accepted and is on disk. */
export const webhookAccepted = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution started'),
});

/** A synchronous webhook's run takes longer than its time-out: it goes on. */
export const webhookLate = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution is still running'),
});

/** A synchronous webhook's run ended without an answer. */
export const webhookFailed = z.object({ detail: z.string(), execution_id: z.uuidv7() });
