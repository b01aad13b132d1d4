import { z } from 'zod';
import { schemaIssues } from '../base/schema-issues.ts';
import type { KnownRequest } from '../component/component.ts';
import { headerLine, headerName, isConnectionHeader } from '../http/headers.ts';
import { isArray, isObject, type Json, own } from '../json.ts';

/** Longer than any token in use: servers accept about 8 KiB of headers. */
const maxSecret = 8192;
/** Names of users, headers and parameters; a host name is limited to this length by its own rules. */
const maxName = 255;
/** More hosts than one secret is for. */
const maxAllowedHosts = 20;

/** Hosts or origins that a secret may be sent to. */
export const allowedHosts = z
  .array(
    z
      .string()
      .max(maxName)
      .regex(
        /^([hH][tT][tT][pP][sS]?:\/\/)?[^\s/?#@\\*]+$/,
        'must be a host, e.g. api.example.com, or an origin, e.g. http://127.0.0.1:8080',
      ),
  )
  .min(1)
  .max(maxAllowedHosts);

const name = z.string().min(1).max(maxName);
const plainText = z.string().regex(/^\P{Cc}*$/u, 'must be one line without control characters');
const headerText = z
  .string()
  .min(1)
  .max(maxSecret)
  .regex(headerLine, 'must be one line of Latin-1 characters, without control characters');
/** Headers that requests set themselves, so that a secret with such a name would be a duplicate. */
const requestHeaders: ReadonlySet<string> = new Set(['content-type', 'idempotency-key']);
const ownHeader = name.refine((text) => {
  const lower = text.toLowerCase();
  return headerName.test(lower) && !isConnectionHeader(lower) && !requestHeaders.has(lower);
}, 'must be the name of a header that requests do not already have: not a header of the connection, Content-Type or Idempotency-Key');

/** The address of the service that the secret belongs to, for nodes that have no address themselves. */
const endpoint = z.url({ protocol: /^https?$/ }).max(maxSecret);

const toolAuth = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('bearer'), token: headerText, allowed_hosts: allowedHosts }),
  z.strictObject({
    scheme: z.literal('basic'),
    username: plainText
      .min(1)
      .max(maxName)
      .regex(/^[^:]*$/, 'must not contain a colon'),
    password: plainText.min(1).max(maxSecret),
    allowed_hosts: allowedHosts,
  }),
  z.strictObject({
    scheme: z.literal('header'),
    name: ownHeader,
    secret: headerText,
    allowed_hosts: allowedHosts,
  }),
  z.strictObject({
    scheme: z.literal('query'),
    name,
    secret: plainText.min(1).max(maxSecret),
    allowed_hosts: allowedHosts,
  }),
]);

/** How a request authenticates, and where its secret may be sent: the `config` of a `tool` credential. */
export type ToolAuth = z.infer<typeof toolAuth>;

/** The keys of such a config that hold secrets: one for each scheme; the mask recognizes all of them as secret. */
export const toolSecretKeys = ['token', 'password', 'secret'] as const;

/**
 * The reason why a `tool` credential's config cannot authenticate requests, as the end of a sentence; null if it can. A
 * config with masks is treated like the unmasked one.
 */
export function toolAuthIssue(config: Json): string | null {
  if (isOpenEndpoint(config)) return null;
  const { address, rest } = withoutEndpoint(config);
  if (address !== undefined && endpointIn(config) === null)
    return 'has an endpoint that is not a URL with http:// or https:// (config.endpoint)';
  const parsed = toolAuth.safeParse(rest);
  if (parsed.success) return null;
  const [first] = schemaIssues(parsed.error);
  const place = ['config', ...(first?.path ?? [])].join('.');
  return `does not say how to authenticate (${place}: ${first?.message ?? 'cannot be used here'})`;
}

/** Whether a config only names a service, to which requests are sent without a secret. */
export function isOpenEndpoint(config: Json): boolean {
  return isObject(config) && Object.keys(config).join() === 'endpoint' && endpointIn(config) !== null;
}

/** The address of the service in the config of a `tool` credential; null if it has none. */
export function endpointIn(config: Json): string | null {
  const parsed = endpoint.safeParse(isObject(config) ? own(config, 'endpoint') : undefined);
  return parsed.data ?? null;
}

/** A config without the address of its service, which says nothing about authentication. */
function withoutEndpoint(config: Json): { readonly address: Json | undefined; readonly rest: Json } {
  if (!isObject(config)) return { address: undefined, rest: config };
  const { endpoint: address, ...rest } = config;
  return { address, rest };
}

/** The config of a `tool` credential as an authentication method; null if it is not one. */
export function readToolAuth(config: Json): ToolAuth | null {
  const parsed = toolAuth.safeParse(withoutEndpoint(config).rest);
  return parsed.success ? parsed.data : null;
}

/** The user name and password in a `basic` config, whatever its allowed hosts; null for any other config. */
export function readBasicPair(
  config: Json | undefined,
): { readonly username: string; readonly password: string } | null {
  if (!isObject(config) || own(config, 'scheme') !== 'basic') return null;
  const { username, password } = config;
  return typeof username === 'string' && typeof password === 'string' && password !== ''
    ? { username, password }
    : null;
}

/** The texts under `allowed_hosts`, whatever else the config contains. */
export function allowedHostsIn(config: Json): readonly string[] {
  const hosts = isObject(config) ? own(config, 'allowed_hosts') : undefined;
  return isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : [];
}

/**
 * The header or parameter of a request that conflicts with a credential's authentication, in words; null if there is
 * none.
 */
export function authConflict(
  auth: ToolAuth,
  { headers, parameters }: Pick<KnownRequest, 'headers' | 'parameters'>,
): string | null {
  if (auth.scheme === 'query') return parameters.includes(auth.name) ? `'${auth.name}' in the query` : null;
  const header = auth.scheme === 'header' ? auth.name.toLowerCase() : 'authorization';
  return headers.some((given) => given.toLowerCase() === header) ? `the header '${header}'` : null;
}
