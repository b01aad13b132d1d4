import { botCall, botResult, type Json, type JsonObject } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Turns } from '../../ground/turns.ts';
import type { Bots } from '../../secrets/bot-requests.ts';

/** The dependencies of a call of the Bot API. */
export interface BotCallPorts {
  readonly bots: Bots;
  readonly clock: Pick<Clock, 'now'>;
  readonly turns: Pick<Turns, 'finish'>;
}

interface BotCall {
  readonly credentialId: number;
  readonly method: string;
  readonly parameters: JsonObject;
}

/** The result of a call through a bot. @throws StepError chat_bot_api, and what `Bots.send` throws */
export async function callBot(
  { bots, clock, turns }: BotCallPorts,
  { credentialId, method, parameters }: BotCall,
  signal: AbortSignal,
): Promise<Json> {
  const response = await bots.send({ nodeId: null, credentialId, request: botCall(method, parameters) }, signal);
  // The platform may be a server of the operator, which sends what it likes.
  return turns.finish(botResult(response, { now: clock.now() }));
}
