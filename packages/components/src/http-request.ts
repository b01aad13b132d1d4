import {
  asBoolean,
  asHeaders,
  asOneOf,
  asText,
  defineComponent,
  expressible,
  headerFaults,
  type Instant,
  isConnectionHeader,
  isDeeperThan,
  isObject,
  type Json,
  type JsonObject,
  type KnownRequest,
  literalHeaders,
  type OutboundRequest,
  type OutboundResponse,
  retryAfterMs,
  type SettingFault,
  type Step,
  StepError,
  withQuery,
} from '@millrace/core';
import { z } from 'zod';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Statuses that may be gone at the next attempt, below 500: a slow request, and too many of them. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429]);
/** As deep as JSON that is sent to the service itself may be: what later steps do with it is safe then. */
const maxDepth = 64;
/** Enough of an error's body to know what the server means. */
const excerptLength = 300;

const config = z.strictObject({
  method: expressible(z.enum(methods)).describe('The HTTP method. Default: `GET`.').optional(),
  url: z
    .string()
    .min(1)
    .describe('The address, beginning with http:// or https://. Default: the input text.')
    .optional(),
  headers: expressible(z.record(z.string(), z.string())).describe('Headers of the request, by name.').optional(),
  query: expressible(z.record(z.string(), z.json()))
    .describe('Added to the address, encoded. A list repeats its name; null leaves the name out.')
    .optional(),
  body: z.json().describe('What is sent: text as it is, anything else as JSON. Default: nothing.').optional(),
  response: z
    .enum(['json', 'text', 'file'])
    .describe('What to read the answer as. Default: what its content type says.')
    .optional(),
  accept_errors: expressible(z.boolean())
    .describe('Whether an answer of status 400 or more is a result like others. Default: false, and the step fails.')
    .optional(),
});

type Config = z.infer<typeof config>;

export const httpRequest = defineComponent({
  type: 'http_request',
  label: 'HTTP Request',
  category: 'Tools',
  icon: 'globe',
  color: '#10b981',
  description: `Sends a request to another service and puts out its answer.

Use it for every service with an HTTP API. The answer is read by its content type: JSON as a value, text as text, and
anything else as a file, \`{name, content_type, size, base64}\`.

\`\`\`json
{
  "method": "POST",
  "url": "https://billing.example/tickets",
  "headers": { "X-Team": "support" },
  "body": { "customer": "{{ trigger.payload.customer }}", "urgent": true }
}
\`\`\`

An answer of 400 or more fails the step; 408, 429 and those from 500 are tried again as the node's \`retry\` says, and not
before their \`Retry-After\`, as long as that is within an hour. Every
attempt of a step carries the same \`Idempotency-Key\` (not with GET and HEAD), so a server that knows this header does
the work once. The service's outbound policy says which addresses are allowed.

A key goes into a \`tool\` credential, which the node names in \`credential_id\`: it is sent to the hosts that the credential
allows, and nobody who reads the workflow or its executions sees it. A key in \`headers\`, everybody sees who may read the workflow.

**Not supported yet:** pages of an answer.`,
  inputs: [
    { name: 'url', dataType: 'text', required: false, description: 'The address, unless the config gives one.' },
  ],
  outputs: [
    { name: 'result', dataType: 'any', description: 'The body of the answer.' },
    { name: 'status', dataType: 'number', description: 'The HTTP status of the answer.' },
    { name: 'headers', dataType: 'object', description: 'The headers of the answer, names in lower case.' },
    { name: 'tool', dataType: 'tool', description: 'The same as a tool of an agent.' },
  ],
  subInputs: [],
  effect: 'keyed',
  version: 1,
  config,
  credential: { type: 'tool', knownIn },
  faults: ({ url, headers, body, method }) => [
    ...urlFaults(url),
    ...bodyFaults(body, method),
    ...headerFaults(literalHeaders(headers), 'headers', isConnectionHeader),
  ],
  async run(step) {
    const { accept_errors, response: wanted } = step.config;
    const acceptsErrors = accept_errors !== undefined && asBoolean(accept_errors, 'accept_errors');
    const request = requestOf(step);
    const response = await step.ctx.http(request);
    if (response.status >= 400 && !acceptsErrors) throw failure(request, response, step.ctx.now());
    const { status, headers } = response;
    return { outputs: { result: read(request, response, wanted), status, headers } };
  },
});

/** An address that nothing can be sent to, as far as it is written out. */
function urlFaults(url: Json | undefined): readonly SettingFault[] {
  if (typeof url !== 'string') return [];
  const [written = ''] = url.trim().split('{{', 1);
  // Where an expression goes on, only a scheme that is written in full is known.
  const isOpen = url.includes('{{') && !/^[a-z][a-z0-9+.-]*:/i.test(written);
  if (isOpen || /^https?:/i.test(written)) return [];
  return [{ path: ['url'], severity: 'error', message: 'must begin with http:// or https://' }];
}

/** What is written out of the request, for the check of its credential. */
function knownIn({ url, headers, query }: JsonObject): KnownRequest {
  const text = typeof url === 'string' ? url.trim() : '';
  const [written = '', ...rest] = text.split('{{');
  // Before an expression only an origin that is written to its end is known.
  const origin = rest.length === 0 ? written : /^[a-z]+:\/\/[^/?#]+(?=[/?#])/i.exec(written)?.[0];
  const [, inUrl = ''] = /\?([^#]*)/.exec(written) ?? [];
  const names = inUrl.split('&').map((pair) => pair.split('=', 1)[0] ?? '');
  return {
    address: origin ?? null,
    headers: literalHeaders(headers).map(({ name }) => name),
    parameters: [...names, ...(isObject(query) ? Object.keys(query) : [])],
  };
}

/** A body that goes with the usual method, which most servers do not read one of. */
function bodyFaults(body: Json | undefined, method: Json | undefined): readonly SettingFault[] {
  if (body === undefined || body === null || method !== undefined) return [];
  const message = 'goes with a GET, of which servers read no body: set the method, most often to POST';
  return [{ path: ['body'], severity: 'warning', message }];
}

function requestOf({ input, config, ctx }: Step<Config>): OutboundRequest {
  const method = config.method === undefined ? 'GET' : asOneOf(config.method, 'method', methods);
  const { text: body, type } = bodyOf(config.body);
  const given = config.headers === undefined ? {} : asHeaders(config.headers, 'headers', isConnectionHeader);
  const isSafe = method === 'GET' || method === 'HEAD';
  return {
    method,
    url: urlOf(input, config),
    headers: {
      ...(!isSafe && { 'idempotency-key': ctx.idempotencyKey }),
      ...(type && { 'content-type': type }),
      ...given,
    },
    body,
  };
}

function bodyOf(body: Json | undefined): { text: string | null; type: string | null } {
  if (body === undefined || body === null) return { text: null, type: null };
  if (typeof body === 'string') return { text: body, type: 'text/plain; charset=utf-8' };
  return { text: JSON.stringify(body), type: 'application/json' };
}

function urlOf(input: Json, config: Config): string {
  if (config.url === undefined && typeof input !== 'string') {
    throw new StepError('config', "'url' is missing: give it, or let the node before put out a text with the address.");
  }
  const url = config.url === undefined ? asText(input, 'url') : asText(config.url, 'url');
  return config.query === undefined ? url : withQuery(url, config.query, 'query');
}

function failure(request: OutboundRequest, response: OutboundResponse, now: Instant): StepError {
  const { status, headers } = response;
  const excerpt = kindOf(response) === 'file' ? '' : response.body.text().trim().slice(0, excerptLength);
  const message = `The server answered ${status} to ${request.method} ${shownUrl(request.url)}${excerpt && `: ${excerpt}`}`;
  const retryable = passingStatuses.has(status) || status >= 500;
  return new StepError('http_status', message, { retryable, retryAfterMs: retryAfterMs(headers['retry-after'], now) });
}

/** Scheme, host and path. A query may hold a key, and a message is read by more people than a config. */
function shownUrl(url: string): string {
  const [, origin, path = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i.exec(url) ?? [];
  return origin === undefined ? 'the address' : `${origin}${path.split('/').map(shownPart).join('/')}`;
}

/** A part of a path may be a key, too, as in the hooks of chats: keys have digits and eight characters at least. */
function shownPart(part: string): string {
  return part.length > 20 || (part.length >= 8 && /\d/.test(part)) ? '****' : part;
}

function read(request: OutboundRequest, response: OutboundResponse, wanted: Config['response']): Json {
  switch (wanted ?? kindOf(response)) {
    case 'json':
      return readJson(response.body.text());
    case 'text':
      return response.body.text();
    case 'file':
      return {
        name: fileName(request, response),
        content_type: contentType(response) || 'application/octet-stream',
        size: response.body.size,
        base64: response.body.base64(),
      };
  }
}

function contentType(response: OutboundResponse): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function kindOf(response: OutboundResponse): 'json' | 'text' | 'file' {
  const type = contentType(response);
  if (/[/+]json$/.test(type)) return 'json';
  const isText =
    type === '' || type.startsWith('text/') || /[/+](xml|javascript|x-www-form-urlencoded|yaml)$/.test(type);
  return isText ? 'text' : 'file';
}

function readJson(text: string): Json {
  // 204 and answers to HEAD have no body, whatever their content type.
  if (text.trim() === '') return null;
  const value = parseJson(text);
  if (value === undefined)
    throw new StepError('input', "The answer is not JSON: set 'response' to text to take it as it is.");
  if (isDeeperThan(value, maxDepth)) throw new StepError('input', `The answer nests deeper than ${maxDepth} levels.`);
  return value;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** What the server calls the file, else the end of its address; never with a path. */
function fileName(request: OutboundRequest, response: OutboundResponse): string {
  const disposition = response.headers['content-disposition'] ?? '';
  const named = /filename="([^"]*)"/i.exec(disposition)?.[1] ?? /filename=([^;\s"]+)/i.exec(disposition)?.[1];
  const path = request.url.replace(/[?#].*$/s, '').replace(/^[a-z]+:\/\/[^/]*/i, '');
  return (named ?? path).split(/[/\\]/).at(-1) || 'file';
}
