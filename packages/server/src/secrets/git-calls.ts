import {
  type GitDetail,
  type GitRequest,
  type Instant,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  own,
  StepError,
} from '@millrace/core';
import type { CredentialSecret, SealSubject } from './credential-secret.ts';
import { gitOriginOf, gitTokenName } from './git-origin.ts';
import type { Vault } from './keys/vault.ts';
import { SecretSearch } from './masking/secret-search.ts';
import { usedCredential } from './used-credential.ts';

/** A request of a step to a repository, and the credential of its node. */
export interface GitCall {
  readonly nodeId: string;
  readonly executionId: string;
  readonly ownerId: number;
  readonly credentialId: number | null;
  readonly request: GitRequest;
  readonly at: Instant;
}

/**
 * Performs a request with the credential, which the step never sees; it is masked in the result.
 * @throws StepError credential_missing, credential_unfit, credential_origin, credential_locked, secret_unreadable; and as
 * `Git.perform`
 */
export type PerformGit = (call: GitCall, signal: AbortSignal) => Promise<JsonObject>;

interface GitCallPorts {
  readonly store: {
    readonly credentials: {
      sealedById(id: number): Promise<(SealSubject & { readonly sealed: string }) | null>;
    };
  };
  readonly vault: Vault;
  readonly git: {
    perform(step: {
      readonly executionId: string;
      readonly ownerId: number;
      readonly request: GitRequest;
      readonly headers: Readonly<Record<string, string>>;
      readonly at: Instant;
      readonly signal: AbortSignal;
    }): Promise<JsonObject>;
  };
}

/** The user names that the hosts expect with a token. */
const userNames: Readonly<Record<string, string>> = { git_host_a: 'x-access-token', git_host_b: 'oauth2' };

export function createGitCalls(ports: GitCallPorts): PerformGit {
  return async (call, signal) => {
    const { executionId, ownerId, request, at, credentialId } = call;
    const pair = credentialId === null ? null : await pairOf(ports, { ...call, credentialId });
    const basic = pair === null ? null : Buffer.from(`${pair.username}:${pair.token}`).toString('base64');
    const headers: Record<string, string> = basic === null ? {} : { Authorization: `Basic ${basic}` };
    const search = new SecretSearch(pair === null || basic === null ? [] : [pair.token, basic]);
    try {
      const result = await ports.git.perform({ executionId, ownerId, request, headers, at, signal });
      return redacted(result, search) as JsonObject;
    } catch (error) {
      throw error instanceof StepError ? new StepError(error.code, search.redact(error.message), error) : error;
    }
  };
}

interface CredentialCall extends GitCall {
  readonly credentialId: number;
}

/** The user name and the token for the origin of the request. */
async function pairOf(ports: GitCallPorts, call: CredentialCall) {
  const { secret, words } = await usedCredential(ports, { ...call, type: 'git' });
  const detail = secret.detail as unknown as GitDetail;
  if (detail.credential_type !== 'token' || detail.access_token === '') {
    throw new StepError(
      'credential_unfit',
      `${words} has no access_token: only the credential_type 'token' is supported.`,
    );
  }
  checkOrigin(call, secret, URL.parse(call.request.url)?.origin ?? '');
  const username = detail.username === '' ? (own(userNames, detail.provider) ?? 'git') : detail.username;
  return { username: String(username), token: detail.access_token };
}

function checkOrigin({ nodeId, credentialId }: CredentialCall, secret: CredentialSecret, origin: string): void {
  const allowed = gitOriginOf(secret.detail as unknown as GitDetail);
  if (allowed !== origin) {
    const owner = allowed ?? "no server: its provider is neither 'git_host_a', 'git_host_b' nor an address";
    const message = `Node '${nodeId}' connects to ${origin}, but credential ${credentialId} is for ${owner}.`;
    throw new StepError('credential_origin', message);
  }
  if (own(secret.origins, gitTokenName) === origin) return;
  const message = `The provider of credential ${credentialId} changed: enter its ${gitTokenName} again, for ${origin}.`;
  throw new StepError('credential_locked', message);
}

/** A value without secrets: a server may repeat the token, and a file may contain it. */
function redacted(value: Json, search: SecretSearch): Json {
  if (typeof value === 'string') return search.redact(value);
  if (isArray(value)) return value.map((item) => redacted(item, search));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [search.redact(key), redacted(item, search)]));
}
