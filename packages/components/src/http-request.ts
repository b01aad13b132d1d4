import {
  answerFailure,
  answerKinds,
  asBoolean,
  asHeaders,
  asOneOf,
  asText,
  checkErrorPath,
  defineComponent,
  encodeBody,
  errorPathIssues,
  expressible,
  headerIssues,
  isConnectionHeader,
  isObject,
  type Json,
  type JsonObject,
  type KnownRequest,
  literalHeaders,
  type OutboundRequest,
  type OutboundResponse,
  Pager,
  pagination,
  paginationIssues,
  parameterNames,
  readAnswer,
  type SettingIssue,
  type SlicedWork,
  type Step,
  type StepContext,
  StepError,
  type StepResult,
  ui,
  unpagedReason,
  withQuery,
} from '@millrace/core';
import { z } from 'zod';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Longer than the path to anything in a response. */
const maxErrorPathLength = 1024;

const config = z.strictObject({
  method: expressible(z.enum(methods))
    .describe('The HTTP method.')
    .meta({ default: 'GET', examples: ['POST'] })
    .optional(),
  url: z
    .string()
    .min(1)
    .describe(
      'The URL, beginning with http:// or https://. Values in its path and query are percent-encoded, unless the URL is ' +
        'one single expression. Default: the input text.',
    )
    .meta({ examples: ['https://api.example/orders/{{ trigger.payload.id }}'] })
    .optional(),
  headers: expressible(z.record(z.string(), z.string()))
    .describe('The headers of the request, by name.')
    .meta({ default: {}, examples: [{ 'X-Team': 'support' }] })
    .optional(),
  query: expressible(z.record(z.string(), z.json()))
    .describe(
      'Query parameters that are added to the URL, percent-encoded. A list repeats the parameter; null omits it.',
    )
    .meta({ default: {}, examples: [{ status: 'open', tag: ['a', 'b'] }] })
    .optional(),
  body: z
    .json()
    .describe(
      'The body: text as it is, a file as its bytes, anything else as JSON, or as a form or multipart if the ' +
        '`Content-Type` in `headers` is one of these. Default: no body.',
    )
    .meta({ examples: [{ customer: '{{ trigger.payload.customer }}' }] })
    .optional(),
  response: z
    .enum(answerKinds)
    .describe('How to read the response. Default: according to its content type.')
    .meta({ ...ui({ advanced: true }), examples: ['text'] })
    .optional(),
  accept_errors: expressible(z.boolean())
    .describe(
      'Whether a response with status 400 or above is output as the result. If false, such a response fails the step.',
    )
    .meta({ ...ui({ advanced: true }), default: false, examples: [true] })
    .optional(),
  error_path: z
    .string()
    .min(1)
    .max(maxErrorPathLength)
    .describe(
      'The path in a JSON response of status 399 or below at which the service reports an error, e.g. `errors`. A value ' +
        'there fails the step, unless it is null, `false`, 0 or empty. Default: only the status decides.',
    )
    .meta({ ...ui({ widget: 'path', advanced: true }), examples: ['errors'] })
    .optional(),
  idempotent: z
    .boolean()
    .describe(
      'Whether the server recognises a repeated request by its `Idempotency-Key`, so that a POST or PATCH may be repeated ' +
        'after any transient failure.',
    )
    .meta({ ...ui({ advanced: true }), default: false, examples: [true] })
    .optional(),
  pagination: pagination
    .describe('How to find the next pages of a paginated response; `result` is then the list of all items.')
    .meta({
      ...ui({ advanced: true }),
      examples: [
        { by: 'link', items: 'data', max_pages: 20 },
        { by: 'next_url', next: 'links.next', items: 'data', max_pages: 20 },
        { by: 'cursor', next: 'meta.next_cursor', parameter: 'cursor', in: 'query', items: 'data', max_pages: 20 },
        {
          by: 'page',
          parameter: 'page',
          in: 'query',
          first: 1,
          page_size: 50,
          items: 'data',
          max_pages: 20,
        },
        {
          by: 'offset',
          parameter: 'offset',
          in: 'query',
          first: 0,
          page_size: 50,
          items: 'data',
          max_pages: 20,
        },
      ],
    })
    .optional(),
});

type Config = z.infer<typeof config>;

export const httpRequest = defineComponent({
  type: 'http_request',
  label: 'HTTP Request',
  category: 'Tools',
  icon: 'globe',
  color: '#10b981',
  description: `Sends an HTTP request to another service and outputs the response.

Use it for every service with an HTTP API. The content type decides how the response is read: JSON as a value, text as
text, and anything else as a file, \`{name, content_type, size, base64}\`.

\`\`\`json
{
  "method": "POST",
  "url": "https://billing.example/tickets",
  "headers": { "X-Team": "support" },
  "body": { "customer": "{{ trigger.payload.customer }}", "urgent": true }
}
\`\`\`

Values in the path and the query of \`url\` are percent-encoded; a \`url\` that is one single expression is used as it is. With
the \`Content-Type\` \`application/x-www-form-urlencoded\` in \`headers\`, an object is sent as a form; with
\`multipart/form-data\`, as fields and files.

A response status of 400 or more fails the step. Some services answer 200 also if they report an error. With
\`error_path: errors\`, as for GraphQL, or \`error_path: error\`, a value at that path of the response fails the step.

Without a \`retry\` policy, a step is retried only after no answer, a
timeout, or status 408, 425, 429 or 500 and above, and at most twice unless \`max_retries\` is set. A POST or PATCH is
retried only after 429, or after 503 with \`Retry-After\`, because the server may have acted before it failed; with
\`idempotent: true\` it is retried like the other methods. A \`retry\` policy on the
node applies to every failure, for example status 404, unless it has \`on: transient\`; it does not apply to failures that
another attempt cannot change, such as an invalid config or a missing credential. If the response has \`Retry-After\`, the
delay before the next attempt is at least that long, up to an hour.

Every attempt of a step sends the same \`Idempotency-Key\` (not with GET and HEAD), so that a server that supports this
header can recognise a repeated request. The service's outbound policy defines which addresses are allowed.

Put API keys into a \`tool\` credential and select it in \`credential_id\`: the key is sent only to the hosts that the
credential allows, and nobody who reads the workflow or its executions can see it. A key in \`headers\` is visible to
everybody who can read the workflow.

With \`pagination\`, all pages of a response are read, and \`result\` is the list of all items. The next page is found by the
\`Link\` header (\`by: link\`), an address in the response (\`next_url\`), a \`cursor\` in it, or by counting each \`page\` or the
\`offset\` of its items:

\`\`\`json
{
  "url": "https://billing.example/invoices",
  "pagination": { "by": "cursor", "next": "meta.next_cursor", "parameter": "cursor", "items": "data" }
}
\`\`\``,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'credential_origin',
    'credential_unfit',
    'expression',
    'http_blocked',
    'http_busy',
    'http_connection',
    'http_error',
    'http_status',
    'http_too_large',
    'input',
    'secret_unreadable',
    'variable_missing',
    'variable_origin',
  ],
  example: {
    workflow: `name: Ticket
trigger: webhook
steps:
  - id: create
    type: http_request
    method: POST
    url: https://tickets.example/api/tickets
    body: {title: "{{ trigger.payload.title }}"}
`,
    tests: `tests:
  - name: The ticket is created
    payload: {title: The door is stuck}
    http:
      - request:
          method: POST
          url: https://tickets.example/api/tickets
          body: {title: The door is stuck}
        response: {status: 201, body: {id: 7}}
    expect:
      outputs: {create: {status: 201, result: {id: 7}}}
`,
  },
  inputs: [
    {
      name: 'url',
      dataType: 'text',
      required: false,
      suppliedBy: ['url'],
      failsEmpty: true,
      isTextOnly: true,
      description: 'The URL, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'any', description: 'The body of the response.' },
    { name: 'status', dataType: 'number', description: 'The HTTP status of the response.' },
    { name: 'headers', dataType: 'object', description: 'The headers of the response; the names are in lower case.' },
    { name: 'tool', dataType: 'tool', description: 'The request as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'keyed',
  tool: {
    description: 'Sends an HTTP request and returns the body of the response.',
    fills: ['query', 'body'],
    isUntrusted: true,
    effectOf: ({ method = 'GET' }) => (method === 'GET' || method === 'HEAD' ? 'idempotent' : 'keyed'),
  },
  isRepeatable: ({ method = 'GET', idempotent }) => idempotent === true || repeatableMethods.includes(method),
  version: 1,
  config,
  credential: { type: 'tool', knownIn },
  sends: ['headers', 'query', 'body'],
  issues: (config) => [
    ...urlIssues(config.url),
    ...bodyIssues(config.body, config.method),
    ...headerIssues(literalHeaders(config.headers), 'headers', isConnectionHeader),
    ...paginationIssues(config),
    ...errorPathIssues(config),
  ],
  verbatim: ['error_path', 'pagination.items', 'pagination.next'],
  urls: ['url'],
  async call(step) {
    checkFilledQuery(step);
    return request(step);
  },
  run: request,
});

async function request(step: Step<Config>): Promise<StepResult> {
  const { ctx, config } = step;
  const request = await ctx.inSlices(requestOf(step));
  if (config.pagination !== undefined) return readPages(ctx, request, config);
  const response = await send(ctx, request, isAccepting(config));
  const { status } = response;
  const { meter } = ctx;
  const result = await ctx.inSlices(readAnswer(request, response, { wanted: config.response, meter }));
  if (status < 400) errorCheck(ctx, config)(result);
  return { outputs: { result, status, headers: headersOf(response) } };
}

/**
 * A parameter that the URL sets is fixed: many servers use the last of two with one name, or the first.
 * @throws StepError `config`
 */
function checkFilledQuery({ input, config: { url = '', query } }: Step<Config>): void {
  if (!isObject(input) || !isObject(input.query) || !isObject(query)) return;
  const fixed = new Set(parameterNames(url).map(baseName));
  const twice = Object.keys(query).find((name) => fixed.has(baseName(name)));
  if (twice === undefined) return;
  throw new StepError('config', `'query' must not have '${twice}': the URL of this tool sets it.`);
}

/** Some servers read `a[]` as `a`, and ignore case. */
function baseName(name: string): string {
  return name.toLowerCase().replace(/\[.*$/s, '');
}

/** Cookies are a list, because their values contain commas. */
function headersOf({ headers, cookies = [] }: OutboundResponse): JsonObject {
  return { ...headers, ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) };
}

/** Methods that have the same effect however often they are sent (RFC 9110, 9.2.2). */
const repeatableMethods: readonly Json[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

async function send(ctx: StepContext, request: OutboundRequest, acceptsErrors: boolean): Promise<OutboundResponse> {
  const response = await ctx.http(request);
  if (response.status < 400 || acceptsErrors) return response;
  throw await ctx.inSlices(answerFailure(request, response, { now: ctx.now(), meter: ctx.meter }));
}

/** Reads all pages: `ctx` enforces the timeout of the step and the outbound policy of each request. */
async function readPages(ctx: StepContext, request: OutboundRequest, config: Config): Promise<StepResult> {
  const { pagination: settings } = config;
  const issue = unpagedReason({ ...config, method: request.method, accept_errors: isAccepting(config) });
  if (settings === undefined || issue !== null) throw new StepError('config', `'pagination' ${issue}.`);
  const pager = new Pager({
    pagination: settings,
    request,
    resolveUrl: (...given) => ctx.resolveUrl(...given),
    meter: ctx.meter,
    check: errorCheck(ctx, config),
  });
  let next: OutboundRequest | null = pager.first;
  let last: { status: number; headers: JsonObject } = { status: 0, headers: {} };
  while (next !== null) {
    const response = await send(ctx, next, false);
    last = { status: response.status, headers: headersOf(response) };
    next = await ctx.inSlices(pager.take(response));
  }
  const metadata = { pages: pager.pages, complete: pager.isComplete };
  return { outputs: { result: pager.items, ...last }, metadata };
}

/** Checks whether a body contains an error where the config says. */
function errorCheck({ meter }: StepContext, { error_path: path }: Config): (body: Json) => void {
  return (body) => {
    if (path !== undefined) checkErrorPath(body, path, meter);
  };
}

function isAccepting({ accept_errors: accepts }: Config): boolean {
  return accepts !== undefined && asBoolean(accepts, 'accept_errors');
}

/** Checks the literal beginning of the URL. */
function urlIssues(url: Json | undefined): readonly SettingIssue[] {
  if (typeof url !== 'string') return [];
  const [written = ''] = url.trim().split('{{', 1);
  // If an expression follows, only a complete literal scheme can be checked.
  const isUnknown = url.includes('{{') && !/^[a-z][a-z0-9+.-]*:/i.test(written);
  if (isUnknown || /^https?:/i.test(written)) return [];
  return [{ path: ['url'], severity: 'error', message: 'must begin with http:// or https://' }];
}

/** The literal parts of the request, for the check of its credential. */
function knownIn({ url, headers, query }: JsonObject): KnownRequest {
  const text = typeof url === 'string' ? url.trim() : '';
  const [written = '', ...rest] = text.split('{{');
  // If an expression follows, only a complete literal origin is known.
  const origin = rest.length === 0 ? written : /^[a-z]+:\/\/[^/?#]+(?=[/?#])/i.exec(written)?.[0];
  // The last name may be incomplete if an expression follows.
  const names = parameterNames(rest.length === 0 ? written : written.replace(/[?&][^=&#]*$/, ''));
  return {
    address: origin ?? null,
    headers: literalHeaders(headers).map(({ name }) => name),
    parameters: [...names, ...(isObject(query) ? Object.keys(query) : [])],
  };
}

/** Warns about a body without a `method`: the default is GET, and most servers ignore the body of a GET. */
function bodyIssues(body: Json | undefined, method: Json | undefined): readonly SettingIssue[] {
  if (body === undefined || body === null || method !== undefined) return [];
  const message = "is sent with GET, and most servers ignore the body of a GET: set 'method', usually to POST";
  return [{ path: ['body'], severity: 'warning', message }];
}

function* requestOf({ input, config, ctx }: Step<Config>): SlicedWork<OutboundRequest> {
  const method = config.method === undefined ? 'GET' : asOneOf(config.method, 'method', methods);
  const given = config.headers === undefined ? {} : asHeaders(config.headers, 'headers', isConnectionHeader);
  // A hash that does not occur in a file by chance.
  const boundary = `millrace-${ctx.idempotencyKey}`;
  const format = { contentType: given['content-type'], boundary, meter: ctx.meter };
  const { body, contentType } = yield* encodeBody(config.body, format);
  const isSafe = method === 'GET' || method === 'HEAD';
  return {
    method,
    url: urlOf(input, config),
    headers: {
      ...(!isSafe && { 'idempotency-key': ctx.idempotencyKey }),
      ...given,
      ...(contentType !== null && { 'content-type': contentType }),
    },
    body,
  };
}

function urlOf(input: Json, config: Config): string {
  if (config.url === undefined && typeof input !== 'string') {
    throw new StepError('config', "'url' is missing: set it, or connect a node that outputs the URL as text.");
  }
  const url = config.url === undefined ? asText(input, 'url') : asText(config.url, 'url');
  return config.query === undefined ? url : withQuery(url, config.query, 'query');
}
