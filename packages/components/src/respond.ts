import {
  asHeaders,
  asInteger,
  defineComponent,
  expressible,
  headerIssues,
  headerName,
  isAnswerHeader,
  isConnectionHeader,
  isMediaType,
  isScriptType,
  type Json,
  type LiteralHeader,
  literalHeaders,
  type SettingIssue,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

/** Below 200 a response is not final; above 599 its meaning is undefined. */
const statuses = { least: 200, most: 599 };

/** Headers that protect users whose browser uses this service, so only the service itself sets them. */
const protectedHeaders =
  /^(set-cookie2?|www-authenticate|content-security-policy.*|strict-transport-security|x-frame-options|x-content-type-options|referrer-policy|permissions-policy|clear-site-data|cross-origin-.*|access-control-.*|service-worker-allowed)$/;

const config = z.strictObject({
  status: expressible(z.int().min(statuses.least).max(statuses.most))
    .describe('The HTTP status of the response.')
    .meta({ default: 200, examples: [201] })
    .optional(),
  headers: expressible(z.record(z.string(), z.string()))
    .describe('The headers of the response, by name. Connection, cookie and security headers are rejected.')
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
  issues: ({ headers }) => {
    const literal = literalHeaders(headers);
    const rejected = headerIssues(literal, 'headers', isRejected);
    return [...rejected, ...wrongTypes(literal), ...leftOut(literal)];
  },
  run({ input, config }) {
    const status = config.status === undefined ? 200 : asInteger(config.status, 'status', statuses);
    const headers = config.headers === undefined ? {} : asHeaders(config.headers, 'headers', isRejected);
    const issue = typeIssue(headers['content-type']);
    if (issue !== null) throw new StepError('config', issue);
    const body: Json = config.body === undefined ? input : config.body;
    return { outputs: { output: body }, respond: { status, headers, body } };
  },
});

function isRejected(name: string): boolean {
  return isConnectionHeader(name) || protectedHeaders.test(name);
}

function typeIssue(value: string | undefined): string | null {
  // The service's own pages may run any script of its own origin, so a user must not be able to provide one.
  if (value !== undefined && isScriptType(value)) return "'headers.content-type' must not be a script.";
  if (value === undefined || isMediaType(value)) return null;
  return "'headers.content-type' must be a media type, e.g. text/html; charset=utf-8.";
}

function wrongTypes(headers: readonly LiteralHeader[]): readonly SettingIssue[] {
  return headers.flatMap(({ key, name, text }) => {
    const message = name === 'content-type' && text !== null ? typeIssue(text) : null;
    return message === null ? [] : [{ path: ['headers', key], severity: 'error', message }];
  });
}

/** Headers that do not fail the step but are omitted from the response. */
function leftOut(headers: readonly LiteralHeader[]): readonly SettingIssue[] {
  return headers.flatMap(({ key, name, text }): readonly SettingIssue[] => {
    if (isRejected(name) || !headerName.test(name) || isAnswerHeader(name, text ?? '')) return [];
    const message = isAnswerHeader(name, '')
      ? 'Is omitted from the response: a value must be at most 4096 characters of plain ASCII'
      : 'Is omitted from the response: the service sets this header itself, or responses cannot have it';
    return [{ path: ['headers', key], isKey: true, severity: 'warning', message }];
  });
}
