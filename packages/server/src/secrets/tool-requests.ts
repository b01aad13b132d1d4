import {
  authConflict,
  type BoundSecret,
  isOpenEndpoint,
  type OutboundRequest,
  type OutboundResponse,
  readToolAuth,
  StepError,
  type ToolAuth,
  toolAuthIssue,
  withoutParameter,
} from '@millrace/core';
import type { CredentialSecret } from './credential-secret.ts';
import { withoutSecrets } from './masking/redaction.ts';
import { mask, SecretSearch } from './masking/secret-search.ts';
import type { SecretPorts } from './secret-ports.ts';
import { originsOf, secretOf } from './tool-secret.ts';
import { usedCredential } from './used-credential.ts';
import { openVariables, type Placeholders, type VariableReader } from './variable-fill.ts';

/** A request of a node that sends a `tool` credential, secret variables, or both. */
export interface ToolRequest {
  readonly nodeId: string;
  readonly workflowId: number;
  readonly credentialId: number | null;
  readonly variables: Placeholders;
  readonly request: OutboundRequest;
}

/**
 * Sends a request with its secrets, which the sender never sees; in the answer they are masked.
 * @throws StepError credential_missing, credential_unfit, credential_origin, credential_locked, secret_unreadable, config;
 * variable_missing, variable_origin; http_blocked, http_connection, http_too_large
 */
export type SendToolRequest = (call: ToolRequest, signal: AbortSignal) => Promise<OutboundResponse>;

interface ToolRequestPorts extends SecretPorts {
  readonly store: SecretPorts['store'] & { readonly variables: VariableReader };
}

/** Makes the one function through which steps send requests with secrets. Each request opens its secrets again. */
export function createToolRequests(ports: ToolRequestPorts): SendToolRequest {
  const { store, vault, outbound } = ports;
  return async (call, signal) => {
    const { credentialId } = call;
    const auth = credentialId === null ? null : await authOf(ports, { ...call, credentialId });
    const request = auth === null ? call.request : withoutOwn(call.request, auth);
    const origin = URL.parse(request.url)?.origin ?? '';
    const variables =
      call.variables.size === 0 ? null : await openVariables({ store: store.variables, vault }, { ...call, origin });
    const texts = [...(auth === null ? [] : secretTexts(auth)), ...(variables?.texts ?? [])];
    const isIn = (text: string): boolean => new SecretSearch(texts).isIn(text);
    const bound = { origin, isIn, ...sentWith(auth), ...(variables && { fill: variables.fill }) };
    return withoutSecrets(outbound.sendSecret(request, bound, signal), texts);
  };
}

/** A request that names a credential. */
interface CredentialCall extends ToolRequest {
  readonly credentialId: number;
}

/** How the request authenticates with its credential; null if that only names a service. */
async function authOf(ports: ToolRequestPorts, call: CredentialCall): Promise<ToolAuth | null> {
  const { secret, words } = await usedCredential(ports, { ...call, type: 'tool' });
  const { config = null } = secret.detail;
  if (isOpenEndpoint(config)) return null;
  const auth = readToolAuth(config);
  if (auth === null) throw new StepError('credential_unfit', `${words} ${toolAuthIssue(config)}.`);
  checkOrigin(call, auth, secret);
  rejectConflict({ ...call, request: withoutOwn(call.request, auth) }, auth);
  return auth;
}

/** Rejects a request to an address to which the secret may not be sent. */
function checkOrigin({ nodeId, credentialId, request }: CredentialCall, auth: ToolAuth, { origins }: CredentialSecret) {
  const origin = URL.parse(request.url)?.origin;
  // The client rejects an invalid URL with its own message, before it uses the secret.
  if (origin === undefined) return;
  if (!originsOf(auth.allowed_hosts).includes(origin)) {
    const message = `Node '${nodeId}' sends to ${origin}, which the allowed_hosts of credential ${credentialId} do not name.`;
    throw new StepError('credential_origin', message);
  }
  const { name } = secretOf(auth);
  if (origins[name]?.includes(origin) !== true) {
    const message = `allowed_hosts of credential ${credentialId} changed: enter its ${name} again, for ${origin}.`;
    throw new StepError('credential_locked', message);
  }
}

/** A server's URL of the next page often has the key in its query, where it is masked, or the server removed it. */
function withoutOwn(request: OutboundRequest, auth: ToolAuth): OutboundRequest {
  if (auth.scheme !== 'query') return request;
  const isKey = (value: string) => request.isServerGiven === true || value === mask || value === auth.secret;
  const isOwn = (name: string, value: string) => name === auth.name && isKey(value);
  return { ...request, url: withoutParameter(request.url, isOwn) };
}

/**
 * Rejects a value that both the node and the credential set: a key in the config would otherwise look as if it were
 * the one that is sent.
 */
function rejectConflict({ nodeId, credentialId, request }: CredentialCall, auth: ToolAuth): void {
  const parameters = [...(URL.parse(request.url)?.searchParams.keys() ?? [])];
  const conflict = authConflict(auth, { headers: Object.keys(request.headers), parameters });
  if (conflict === null) return;
  const message = `Node '${nodeId}' sends ${conflict}, which credential ${credentialId} sets, too: take it out of the node.`;
  throw new StepError('config', message);
}

/** What the credential adds to a request. */
function sentWith(auth: ToolAuth | null): Pick<BoundSecret, 'headers' | 'query'> {
  switch (auth?.scheme) {
    case undefined:
      return { headers: {} };
    case 'bearer':
      return { headers: { authorization: `Bearer ${auth.token}` } };
    case 'basic':
      return { headers: { authorization: `Basic ${Buffer.from(pairOf(auth)).toString('base64')}` } };
    case 'header':
      return { headers: { [auth.name.toLowerCase()]: auth.secret } };
    case 'query':
      return { headers: {}, query: { name: auth.name, value: auth.secret } };
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
