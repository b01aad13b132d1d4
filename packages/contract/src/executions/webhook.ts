import { z } from 'zod';
import { json } from '../base/json.ts';

/** A run was accepted and is on disk. What the mode `immediately` answers. */
export const webhookAccepted = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution started'),
});

/** A synchronous webhook's run takes longer than its time-out: it goes on. */
const webhookLate = z.object({
  status: z.literal('accepted'),
  execution_id: z.uuidv7(),
  message: z.literal('Workflow execution is still running'),
});

/** What a webhook answers: that the run is accepted or goes on, or in the synchronous modes what the workflow says. */
export const webhookAnswer = z
  .union([webhookAccepted, webhookLate, json])
  .describe('200: accepted and stored, or what the workflow answers; 202: the execution goes on.');

/** A synchronous webhook's run ended without an answer. */
export const webhookFailed = z
  .object({ detail: z.string(), execution_id: z.uuidv7() })
  .describe('In the synchronous modes: the execution failed or was cancelled.');
