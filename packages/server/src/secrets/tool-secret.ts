import { allowedHostsIn, isObject, type JsonObject, type ToolAuth, toolSecretKeys } from '@millrace/core';
import type { CredentialSecret } from './credential-secret.ts';

/**
 * The origins of a list of hosts. A host without a scheme uses https: a secret is sent over plain http only if a user
 * entered it explicitly.
 */
export function originsOf(hosts: readonly string[]): readonly string[] {
  return hosts.flatMap((host) => {
    const url = URL.parse(/^https?:\/\//i.test(host) ? host : `https://${host}`);
    return url === null ? [] : [url.origin];
  });
}

/**
 * The origins of a tool credential's secrets after a change: newly entered secrets get the hosts that are allowed now,
 * all others keep the hosts that they were entered with. So a host that is added later gets no existing secret.
 */
export function boundToolOrigins(
  detail: JsonObject,
  given: ReadonlySet<string>,
  before: CredentialSecret['origins'],
): CredentialSecret['origins'] {
  const { config = null } = detail;
  const origins = originsOf(allowedHostsIn(config));
  const present = toolSecretKeys.filter((key) => isObject(config) && Object.hasOwn(config, key));
  const bound = new Map(Object.entries(before));
  const names = present.map((key) => `config.${key}`);
  return Object.fromEntries(names.map((name) => [name, given.has(name) ? origins : (bound.get(name) ?? [])]));
}

/** The name of the secret that a credential authenticates with, as in its origins, and the secret. */
export function secretOf(auth: ToolAuth): { readonly name: string; readonly value: string } {
  switch (auth.scheme) {
    case 'bearer':
      return { name: 'config.token', value: auth.token };
    case 'basic':
      return { name: 'config.password', value: auth.password };
    case 'header':
    case 'query':
      return { name: 'config.secret', value: auth.secret };
  }
}
