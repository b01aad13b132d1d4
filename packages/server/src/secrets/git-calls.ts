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
import { gitAddress, gitOrigin } from '../ground/git-address.ts';
import type { CredentialSecret, SealSubject } from './credential-secret.ts';
import { type GitSecretName, gitOriginOf } from './git-origin.ts';
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
      readonly sshKey: string | null;
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
    const login = credentialId === null ? anonymous : await loginOf(ports, { ...call, credentialId });
    const { headers, sshKey } = login;
    const search = new SecretSearch(login.secrets);
    try {
      const result = await ports.git.perform({ executionId, ownerId, request, headers, sshKey, at, signal });
      return redacted(result, search) as JsonObject;
    } catch (error) {
      throw error instanceof StepError ? new StepError(error.code, search.redact(error.message), error) : error;
    }
  };
}

interface CredentialCall extends GitCall {
  readonly credentialId: number;
}

interface Login {
  readonly headers: Readonly<Record<string, string>>;
  readonly sshKey: string | null;
  /** The texts to mask. */
  readonly secrets: readonly string[];
}

const anonymous: Login = { headers: {}, sshKey: null, secrets: [] };

/** What the server of the request gets. */
async function loginOf(ports: GitCallPorts, call: CredentialCall): Promise<Login> {
  const { secret, words } = await usedCredential(ports, { ...call, type: 'git' });
  const detail = secret.detail as unknown as GitDetail;
  const address = gitAddress(call.request.url);
  // The step reports it.
  if ('issue' in address) return anonymous;
  const [name, type] = address.isSsh ? (['ssh_private_key', 'ssh'] as const) : (['access_token', 'token'] as const);
  if (detail.credential_type !== type || detail[name] === '') {
    const message = `${words} has no ${name}: the address '${address.location}' needs the credential_type '${type}'.`;
    throw new StepError('credential_unfit', message);
  }
  checkOrigin(call, secret, { name, origin: gitOrigin(address) });
  if (address.isSsh)
    return { headers: {}, sshKey: detail.ssh_private_key, secrets: secretLines(detail.ssh_private_key) };
  const username = detail.username === '' ? (own(userNames, detail.provider) ?? 'git') : detail.username;
  const basic = Buffer.from(`${username}:${detail.access_token}`).toString('base64');
  return { headers: { Authorization: `Basic ${basic}` }, sshKey: null, secrets: [detail.access_token, basic] };
}

/** The last whole lines of a private key, which are its private part: a file may have it with other line ends. */
function secretLines(key: string): readonly string[] {
  const lines = key.split(/\s+/).filter((line) => line.length >= keyLineLength);
  return lines.slice(-2);
}

/** Characters of a line of a key in the formats that ssh reads. */
const keyLineLength = 64;

interface SecretUse {
  readonly name: GitSecretName;
  readonly origin: string;
}

function checkOrigin(
  { nodeId, credentialId }: CredentialCall,
  secret: CredentialSecret,
  { name, origin }: SecretUse,
): void {
  const allowed = gitOriginOf(secret.detail as unknown as GitDetail, name);
  if (allowed !== origin) {
    const owner = allowed ?? "no server: its provider is neither 'git_host_a', 'git_host_b' nor an address";
    const message = `Node '${nodeId}' connects to ${origin}, but credential ${credentialId} is for ${owner}.`;
    throw new StepError('credential_origin', message);
  }
  if (own(secret.origins, name) === origin) return;
  const message = `The provider of credential ${credentialId} changed: enter its ${name} again, for ${origin}.`;
  throw new StepError('credential_locked', message);
}

/** A value without secrets: a server may repeat the token, and a file may contain it. */
function redacted(value: Json, search: SecretSearch): Json {
  if (typeof value === 'string') return search.redact(value);
  if (isArray(value)) return value.map((item) => redacted(item, search));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [search.redact(key), redacted(item, search)]));
}
