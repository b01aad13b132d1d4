import { type GitDetail, type JsonObject, own } from '@millrace/core';
import type { CredentialSecret } from './credential-secret.ts';
import { originsOf } from './tool-secret.ts';

/** The secrets of a git credential that it authenticates with. */
export const gitSecretNames = ['access_token', 'ssh_private_key'] as const;
export type GitSecretName = (typeof gitSecretNames)[number];

/** The public addresses of the two hosts. */
const publicOrigins: Readonly<Record<string, string>> = {
  git_host_a: 'https://github.com',
  git_host_b: 'https://gitlab.com',
};

/**
 * The one server with which a secret may be used: that of the provider; null if it names none. A key of ssh may be used
 * with every port of the host.
 */
export function gitOriginOf({ provider }: Pick<GitDetail, 'provider'>, name: GitSecretName): string | null {
  const known = own(publicOrigins, provider);
  const address = typeof known === 'string' ? known : provider;
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address) ?? [];
  if (name === 'ssh_private_key') {
    const { hostname = '' } = (isServer(address) && URL.parse(scheme === '' ? `ssh://${address}` : address)) || {};
    return hostname === '' ? null : `ssh://${hostname.toLowerCase()}`;
  }
  const isWeb = scheme === '' ? isServer(address) : /^https?$/i.test(scheme);
  return (isWeb ? originsOf([address])[0] : undefined) ?? null;
}

/** Whether the provider is an address, and not only a name. */
function isServer(provider: string): boolean {
  return /[.:]/.test(provider);
}

/** The servers of the secrets after a change: newly entered ones get that of the provider, old ones keep their own. */
export function boundGitOrigins(
  detail: JsonObject,
  given: ReadonlySet<string>,
  before: CredentialSecret['origins'],
): CredentialSecret['origins'] {
  const git = detail as unknown as GitDetail;
  const bound = gitSecretNames.map((name) => {
    const origin = given.has(name) ? gitOriginOf(git, name) : own(before, name);
    return [name, git[name] === '' ? null : origin] as const;
  });
  return Object.fromEntries(bound.filter((entry): entry is [GitSecretName, string] => typeof entry[1] === 'string'));
}
