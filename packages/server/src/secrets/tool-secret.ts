import { allowedHostsIn, isObject, type JsonObject, type ToolAuth, toolSecretKeys } from '@millrace/core';
import type { CredentialSecret } from './credential-secret.ts';

/**
 * The origins of a list of hosts. One without a scheme is reached by https: a secret that goes by plain http is sent so
 * because somebody wrote it.
 */
export function originsOf(hosts: readonly string[]): readonly string[] {
  return hosts.flatMap((host) => {
    const url = URL.parse(/^https?:\/\//i.test(host) ? host : `https://${host}`);
    return url === null ? [] : [url.origin];
  });
}

/**
 * The origins of a tool credential's secrets after a change: those given anew are for the hosts that are allowed now,
 * all others for those that they were given with. So a host that is added later gets no secret that was there before.
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

/** The name of the secret that a credential authenticates with, as its origins have it, and the secret. */
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
