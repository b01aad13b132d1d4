import { json as anyJson, botUpdateReceived, errorBody, invalidBody } from '@millrace/contract';
import { type Json, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BotService } from '../../services/bots/bot-service.ts';
import { addRawBodies } from '../bodies/body-parser.ts';
import { turnFor } from '../bodies/body-turns.ts';
import { decodedBody } from '../bodies/content-encoding.ts';
import { readJson } from '../bodies/json-or-form.ts';

interface BotUpdateRoutes {
  readonly bots: Pick<BotService, 'deliver'>;
}

/** Bytes of an update: many times the longest message. */
const maxUpdate = 262_144;
const secretHeader = 'x-telegram-bot-api-secret-token';

/** The endpoint to which the messaging platform sends the messages of bots. */
export async function addBotUpdates(app: FastifyInstance, { bots }: BotUpdateRoutes): Promise<void> {
  // In its own context, because the body is parsed only after the secret was found to be valid.
  await app.register(async (own) => {
    addRawBodies(own);
    own.route({
      method: 'POST',
      url: '/api/v1/bots/:bot_id/updates',
      bodyLimit: maxUpdate,
      config: { auth: 'none', fromAnywhere: true, examples: [{ update_id: 1 }] },
      schema: {
        operationId: 'deliverBotUpdate',
        summary: 'Receives a message to a bot from the messaging platform',
        description:
          'The platform calls it for bots whose trigger has the mode `webhook`, with the secret that the service gave it. ' +
          'An update that was received before starts nothing again.',
        tags: ['Webhook'],
        security: [],
        params: z.object({ bot_id: z.string().describe('The id of the bot on the platform.') }),
        headers: z.object({
          [secretHeader]: z.string().optional().describe('The secret that the service gave the platform.'),
        }),
        body: anyJson.optional().describe('An update of the Bot API.'),
        response: {
          200: botUpdateReceived,
          400: errorBody.describe('The body is not an update.'),
          401: errorBody.describe('The secret is missing or wrong, or the bot has no webhook.'),
          413: errorBody.describe('The body is too large.'),
          415: errorBody.describe('The charset or the Content-Encoding of the body is not supported.'),
          422: invalidBody.describe('The JSON of the body is nested too deeply, or has too many values.'),
          503: errorBody.describe('The update could not be stored; the platform sends it again.'),
        },
      },
      handler: async (request) => {
        const { bot_id: botId = '' } = request.params as Record<string, string>;
        const secret = request.headers[secretHeader];
        const isGenuine = await bots.deliver(botId, String(secret ?? ''), () => updateIn(request));
        // Not counted as a wrong key: nobody guesses the secret, and the platform repeats messages of a bot without triggers.
        if (!isGenuine) throw new Problem('not_authenticated', 'The secret of the bot is missing or wrong.');
        return { ok: true } as const;
      },
    });
  });
}

async function updateIn(request: FastifyRequest): Promise<Json> {
  const body = request.body as Buffer | undefined;
  const bytes = body && (await decodedBody(request, body, request.routeOptions.bodyLimit));
  await turnFor(bytes);
  return readJson(bytes ?? Buffer.alloc(0), request.headers['content-type']);
}
