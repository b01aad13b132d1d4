import { createHmac, randomBytes } from 'node:crypto';
import { botSegment, type OutboundRequest, type OutboundResponse, publicBotApi, StepError } from '@millrace/core';
import { withoutSecrets } from './masking/redaction.ts';
import { SecretSearch } from './masking/secret-search.ts';
import type { SecretPorts } from './secret-ports.ts';
import { usedCredential } from './used-credential.ts';
import { isSame } from './webhook-signatures.ts';

/** A call of the Bot API for a node, without the token. */
export interface BotRequest {
  /** Null for a call that no step makes. */
  readonly nodeId: string | null;
  readonly credentialId: number;
  readonly request: OutboundRequest;
}

/**
 * Sends a call of the Bot API with the token of a credential, which the sender never sees; in the answer it is masked.
 * @throws StepError credential_missing, credential_unfit, secret_unreadable; http_blocked, http_connection, http_too_large
 */
export type SendBotRequest = (call: BotRequest, signal: AbortSignal) => Promise<OutboundResponse>;

/** The bots whose tokens are stored. */
export interface Bots {
  readonly send: SendBotRequest;
  /** The id of a bot on the platform, which its token begins with. @throws StepError as `send` */
  idOf(credentialId: number): Promise<string>;
  /**
   * The secret that the platform sends with each message of a bot with a webhook. It is derived from the token, so it need
   * not be stored. @throws StepError as `send`
   */
  webhookSecret(credentialId: number): Promise<string>;
  /** Whether a sender has that secret; null for no bot: the result is false. */
  isWebhookSecret(credentialId: number | null, given: string): Promise<boolean>;
}

interface BotRequestPorts extends SecretPorts {
  /** The address of the Bot API, if the operator set one. */
  readonly botApi?: string;
}

/**
 * Makes the one function through which a bot's token is sent. Each call opens the secret again. The token is sent only to
 * the address that the operator set, so it is bound to no origin of its own.
 */
export function createBots({ store, vault, outbound, botApi = publicBotApi }: BotRequestPorts): Bots {
  const send: SendBotRequest = async (call, signal) => {
    const token = await tokenOf({ store, vault }, call);
    const url = call.request.url.replace(publicBotApi, botApi);
    const { origin } = new URL(url);
    const search = new SecretSearch([token]);
    const secret = {
      origin,
      headers: {},
      path: { segment: botSegment, value: token },
      isIn: (text: string) => search.isIn(text),
    };
    return withoutSecrets(outbound.sendSecret({ ...call.request, url }, secret, signal), [token]);
  };
  // Compared with if there is no secret, so that the check takes the same time.
  const decoy = webhookSecretOf(randomBytes(32).toString('hex'));
  const webhookSecret = async (credentialId: number) =>
    webhookSecretOf(await tokenOf({ store, vault }, { nodeId: null, credentialId }));
  return {
    send,
    async idOf(credentialId) {
      const token = await tokenOf({ store, vault }, { nodeId: null, credentialId });
      return token.split(':', 1).join();
    },
    webhookSecret,
    async isWebhookSecret(credentialId, given) {
      const secret = credentialId === null ? null : await webhookSecret(credentialId).catch(() => null);
      return isSame(given, secret ?? decoy) && secret !== null;
    },
  };
}

/** One of the forms that the platform accepts: letters, digits, `_` and `-`. */
function webhookSecretOf(token: string): string {
  return createHmac('sha256', token).update('millrace webhook').digest('base64url');
}

/** The characters of a token: it becomes a part of a path. */
const tokenForm = /^[A-Za-z0-9:_-]+$/;

async function tokenOf(
  ports: Pick<BotRequestPorts, 'store' | 'vault'>,
  call: Omit<BotRequest, 'request'>,
): Promise<string> {
  const { secret, words } = await usedCredential(ports, { ...call, type: 'chat_bot' });
  const { bot_token: token } = secret.detail;
  if (typeof token === 'string' && tokenForm.test(token)) return token;
  const lack = token === '' ? 'has no bot_token' : 'has a bot_token with characters that no token of a bot has';
  throw new StepError('credential_unfit', `${words} ${lack}: enter the token that the platform issued.`);
}
