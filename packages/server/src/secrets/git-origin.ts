import { type GitDetail, type JsonObject, own } from '@millrace/core';
import type { CredentialSecret } from './credential-secret.ts';
import { originsOf } from './tool-secret.ts';

/** The secret of a git credential that is sent to the host. */
export const gitTokenName = 'access_token';

/** The public addresses of the two hosts. */
const publicOrigins: Readonly<Record<string, string>> = {
  git_host_a: 'https://github.com',
  git_host_b: 'https://gitlab.com',
};

/** The one origin to which the token may be sent: that of the provider; null if it names no server. */
export function gitOriginOf({ provider }: Pick<GitDetail, 'provider'>): string | null {
  const known = own(publicOrigins, provider);
  if (typeof known === 'string') return known;
  const isHost = /^https?:\/\//i.test(provider) || /[.:]/.test(provider);
  return (isHost ? originsOf([provider])[0] : undefined) ?? null;
}

/** The origin of the token after a change: a newly entered one gets that of the provider, an old one keeps its own. */
export function boundGitOrigins(
  detail: JsonObject,
  given: ReadonlySet<string>,
  before: CredentialSecret['origins'],
): CredentialSecret['origins'] {
  const { access_token: token, provider } = detail as unknown as GitDetail;
  if (token === '') return {};
  const origin = given.has(gitTokenName) ? gitOriginOf({ provider }) : own(before, gitTokenName);
  return typeof origin === 'string' ? { [gitTokenName]: origin } : {};
}
