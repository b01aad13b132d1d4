import {
  asHeaders,
  asInteger,
  bodylessStatuses,
  charsetIssue,
  defineComponent,
  expressible,
  headerIssues,
  headerText,
  isAnswerName,
  isMediaType,
  isObject,
  isScriptType,
  type Json,
  type LiteralHeader,
  literalHeaders,
  type SettingIssue,
  type StepContext,
  StepError,
  sentValue,
} from '@millrace/core';
import { z } from 'zod';

/** Below 200 a response is not final; above 599 its meaning is undefined. */
const statuses = { least: 200, most: 599 };

const config = z.strictObject({
  status: expressible(z.int().min(statuses.least).max(statuses.most))
    .describe('The HTTP status of the response.')
    .meta({ default: 200, examples: [201] })
    .optional(),
  headers: expressible(z.record(z.string(), z.string()))
    .describe(
      'The headers of the response, by name: own ones that begin with `X-`, and the standard ones that only describe the ' +
        'response. Addresses in `Location` are percent-encoded.',
    )
    .meta({ default: {}, examples: [{ 'Content-Type': 'text/html' }] })
    .optional(),
  body: z
    .json()
    .describe('The body: text as it is, a file as its bytes, anything else as JSON. Default: the input.')
    .meta({ examples: [{ accepted: true, order: '{{ trigger.payload.id }}' }] })
    .optional(),
});

export const respond = defineComponent({
  type: 'respond',
  label: 'Respond',
  category: 'Output',
  icon: 'reply',
  color: '#0ea5e9',
  description: `Responds to the caller that waits for this execution: a Webhook Trigger whose \`response_mode\` is
\`respond_node\`. The execution continues afterwards. If several of these nodes run, the first one decides, both for the
caller and for the output of the execution. In parallel branches, the first one is the one that runs first; to decide the order, connect one after the other or
use a switch.

Use it to send a result, a page, a file, or an error with its own status. The \`Content-Type\` header may be any media type;
the default is plain text for text, the type of the file for a file, and JSON for anything else. A browser runs no scripts of
such a page.

\`\`\`json
{
  "status": 201,
  "headers": { "X-Order": "{{ trigger.payload.id }}" },
  "body": { "accepted": true, "order": "{{ trigger.payload.id }}" }
}
\`\`\``,
  errors: ['config'],
  example: {
    workflow: `name: Order desk
trigger: {type: webhook, response_mode: respond_node}
steps:
  - id: answer
    type: respond
    status: 201
    headers: {X-Order: "{{ trigger.payload.id }}"}
    body: {accepted: true}
`,
    tests: `tests:
  - name: The caller receives the response of the node
    payload: {id: A1}
    expect:
      response: {status: 201, headers: {x-order: A1}, body: {accepted: true}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'any',
      required: false,
      suppliedBy: ['body'],
      description: 'The body of the response, unless the config has one.',
    },
  ],
  outputs: [{ name: 'output', dataType: 'any', description: 'The body of the response.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  issues: ({ status, headers, body }) => {
    const literal = literalHeaders(headers).map(sentLiteral);
    const rejected = headerIssues(literal, 'headers', rejection);
    return [...rejected, ...wrongTypes(literal), ...literalBodyIssues({ status, headers: literal, body })];
  },
  run({ input, config, ctx }) {
    const status = config.status === undefined ? 200 : asInteger(config.status, 'status', statuses);
    const headers =
      config.headers === undefined ? {} : asHeaders(sentHeaders(config.headers, ctx), 'headers', rejection);
    const type = headers['content-type'];
    const body: Json = config.body === undefined ? input : config.body;
    const issue = typeIssue(type) ?? statusIssue(status, config.body) ?? bodyIssue({ status, body, type });
    if (issue !== null) throw new StepError('config', issue);
    return { outputs: { output: body }, respond: { status, headers, body } };
  },
});

const notAllowed =
  'responses may have headers that begin with X-, and the standard ones that only describe the response, see docs/webhooks.md';

/** Why a response must not have a header (name in lower case): false if it may. */
function rejection(name: string): string | false {
  return isAnswerName(name) ? false : notAllowed;
}

/** The headers of a config as they are sent. */
function sentHeaders(headers: Json, ctx: Pick<StepContext, 'resolveUrl'>): Json {
  if (!isObject(headers)) return headers;
  const asciiHost = (host: string): string => {
    // A host with other letters is sent as xn--…, as browsers do.
    const origin = ctx.resolveUrl(`http://${host}`, 'http://localhost')?.origin;
    if (origin !== undefined) return origin.slice('http://'.length);
    throw new StepError('config', 'A header has an address whose host is not a valid name.');
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? sentValue(name.toLowerCase(), headerText(value), asciiHost) : value,
    ]),
  );
}

function sentLiteral(header: LiteralHeader): LiteralHeader {
  return header.text === null ? header : { ...header, text: sentValue(header.name, header.text) };
}

function typeIssue(value: string | undefined): string | null {
  // The service's own pages may run any script of its own origin, so a user must not be able to provide one.
  if (value !== undefined && isScriptType(value)) return "'headers.content-type' must not be a script.";
  if (value === undefined || isMediaType(value)) return null;
  return "'headers.content-type' must be a media type, e.g. text/html; charset=utf-8.";
}

/** Why a response with this status cannot have the body of its config. An input alone is no body for it. */
function statusIssue(status: number, body: Json | undefined): string | null {
  const isEmpty = body === undefined || body === null || body === '';
  return isEmpty || !bodylessStatuses.has(status)
    ? null
    : `'body' must be empty: a response with status ${status} has no body.`;
}

function bodyIssue({ status, body, type }: { status: number; body: Json; type: string | undefined }): string | null {
  return type === undefined || bodylessStatuses.has(status) ? null : charsetIssue(body, type);
}

interface LiteralParts {
  readonly status: Json | undefined;
  readonly headers: readonly LiteralHeader[];
  readonly body: Json | undefined;
}

function literalBodyIssues({ status, headers, body }: LiteralParts): readonly SettingIssue[] {
  // An expression may give an empty body or a file.
  if (body === undefined || (typeof body === 'string' && body.includes('{{'))) return [];
  // Nothing is known of a status that is an expression.
  if (typeof status === 'string') return [];
  const type = headers.find(({ name }) => name === 'content-type')?.text ?? undefined;
  const known = typeof status === 'number' ? status : 200;
  const unwritable = typeof body === 'string' ? bodyIssue({ status: known, body, type }) : null;
  const message = statusIssue(known, body) ?? unwritable;
  return message === null ? [] : [{ path: ['body'], severity: 'error', message }];
}

function wrongTypes(headers: readonly LiteralHeader[]): readonly SettingIssue[] {
  return headers.flatMap(({ key, name, text }) => {
    const message = name === 'content-type' && text !== null ? typeIssue(text) : null;
    return message === null ? [] : [{ path: ['headers', key], severity: 'error', message }];
  });
}
