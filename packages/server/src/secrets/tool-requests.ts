import {
  authConflict,
  type BoundSecret,
  type OutboundRequest,
  type OutboundResponse,
  Problem,
  readToolAuth,
  StepError,
  type ToolAuth,
  toolAuthFault,
  withoutParameter,
} from '@millrace/core';
import { type CredentialSecret, openSecret, type SealSubject } from './credential-secret.ts';
import type { Vault } from './keys/vault.ts';
import { withoutSecrets } from './masking/redaction.ts';
import { mask, SecretSearch } from './masking/secret-search.ts';
import type { SecretPorts } from './secret-ports.ts';
import { originsOf, secretOf } from './tool-secret.ts';

/** A request of a node that uses a `tool` credential. */
export interface ToolRequest {
  readonly nodeId: string;
  readonly credentialId: number;
  readonly request: OutboundRequest;
}

/**
 * Sends a request with the secret of a credential, which the caller never sees; it is masked in the answer. @throws
 * StepError credential_missing, credential_unfit, credential_origin, credential_locked, secret_unreadable, config;
 * http_blocked, http_connection, http_too_large
 */
export type SendToolRequest = (call: ToolRequest, signal: AbortSignal) => Promise<OutboundResponse>;

/**
 * Creates the only function through which steps send requests with credentials. Each request reads its credential
 * again.
 */
export function createToolRequests({ store, vault, outbound }: SecretPorts): SendToolRequest {
  return async (call, signal) => {
    const { nodeId, credentialId, request } = call;
    const words = `Node '${nodeId}' uses credential ${credentialId}, which`;
    const stored = await store.credentials.sealedById(credentialId);
    if (stored === null) {
      throw new StepError('credential_missing', `${words} does not exist: choose another in its credential_id.`);
    }
    if (stored.credentialType !== 'tool') {
      const message = `${words} is of type '${stored.credentialType}' and not 'tool': choose another in its credential_id.`;
      throw new StepError('credential_unfit', message);
    }
    const secret = opened(vault, stored);
    const { config = null } = secret.detail;
    const auth = readToolAuth(config);
    if (auth === null) throw new StepError('credential_unfit', `${words} ${toolAuthFault(config)}.`);
    const bound = boundTo(originFor(call, auth, secret), auth);
    const sent = withoutOwn(request, auth);
    refuseConflict({ ...call, request: sent }, auth);
    return withoutSecrets(outbound.sendSecret(sent, bound, signal), secretTexts(auth));
  };
}

/** A secret that cannot be opened fails the step with its own message, and a retry does not help. */
function opened(vault: Vault, stored: SealSubject & { readonly sealed: string }): CredentialSecret {
  try {
    return openSecret(vault, stored);
  } catch (error) {
    if (error instanceof Problem && error.code === 'secret_unreadable') throw new StepError(error.code, error.message);
    throw error;
  }
}

/** The origin of the request, if the secret may be sent there. */
function originFor({ nodeId, credentialId, request }: ToolRequest, auth: ToolAuth, { origins }: CredentialSecret) {
  const origin = URL.parse(request.url)?.origin;
  // The client reports an invalid URL itself: it rejects the URL before it uses the secret.
  if (origin === undefined) return '';
  if (!originsOf(auth.allowed_hosts).includes(origin)) {
    const message = `Node '${nodeId}' sends to ${origin}, which the allowed_hosts of credential ${credentialId} do not name.`;
    throw new StepError('credential_origin', message);
  }
  const { name } = secretOf(auth);
  if (origins[name]?.includes(origin) !== true) {
    const message = `allowed_hosts of credential ${credentialId} changed: enter its ${name} again, for ${origin}.`;
    throw new StepError('credential_locked', message);
  }
  return origin;
}

/** A server's URL of the next page often has the key in its query, where it is masked, or the server removed it. */
function withoutOwn(request: OutboundRequest, auth: ToolAuth): OutboundRequest {
  if (auth.scheme !== 'query') return request;
  const isKey = (value: string) => request.isServerGiven === true || value === mask || value === auth.secret;
  const isOwn = (name: string, value: string) => name === auth.name && isKey(value);
  return { ...request, url: withoutParameter(request.url, isOwn) };
}

/** Neither silently overrides the other: otherwise a key in the config would seem to be the one that is sent. */
function refuseConflict({ nodeId, credentialId, request }: ToolRequest, auth: ToolAuth): void {
  const parameters = [...(URL.parse(request.url)?.searchParams.keys() ?? [])];
  const conflict = authConflict(auth, { headers: Object.keys(request.headers), parameters });
  if (conflict === null) return;
  const message = `Node '${nodeId}' sends ${conflict}, which credential ${credentialId} sets, too: take it out of the node.`;
  throw new StepError('config', message);
}

function boundTo(origin: string, auth: ToolAuth): BoundSecret {
  const isIn = (text: string): boolean => new SecretSearch(secretTexts(auth)).isIn(text);
  switch (auth.scheme) {
    case 'bearer':
      return { origin, isIn, headers: { authorization: `Bearer ${auth.token}` } };
    case 'basic': {
      const pair = Buffer.from(pairOf(auth)).toString('base64');
      return { origin, isIn, headers: { authorization: `Basic ${pair}` } };
    }
    case 'header':
      return { origin, isIn, headers: { [auth.name.toLowerCase()]: auth.secret } };
    case 'query':
      return { origin, isIn, headers: {}, query: { name: auth.name, value: auth.secret } };
  }
}

function pairOf({ username, password }: Extract<ToolAuth, { scheme: 'basic' }>): string {
  return `${username}:${password}`;
}

/**
 * The values that are masked in answers and errors, and are not sent to other origins: the secret and its encoded form.
 */
function secretTexts(auth: ToolAuth): readonly string[] {
  const { value } = secretOf(auth);
  switch (auth.scheme) {
    case 'basic':
      return [pairOf(auth), value];
    case 'query':
      return [value, encodeURIComponent(value.toWellFormed())];
    case 'bearer':
    case 'header':
      return [value];
  }
}
