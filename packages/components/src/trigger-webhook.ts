import {
  asObject,
  bodyKinds,
  defineComponent,
  mediaRange,
  signatureSchemes,
  ui,
  webhookAuths,
  webhookChallenges,
  webhookMethods,
} from '@millrace/core';
import { z } from 'zod';

/** Seconds: proxies close a request that is unanswered for longer. */
const maxTimeout = 600;

/** More media types than any sender uses. */
const maxAccepts = 20;

/** A thousand per second, which is more than one disk can commit. */
const maxRate = 60_000;

const config = z.strictObject({
  response_mode: z
    .enum(['immediately', 'last_node', 'respond_node'])
    .describe(
      'The response to the caller: at once that the execution is accepted (`immediately`, the default), the output of the ' +
        'last node (`last_node`), or the response of a Respond node (`respond_node`).',
    )
    .meta({ default: 'immediately', examples: ['last_node'] })
    .optional(),
  timeout: z
    .number()
    .positive()
    .max(maxTimeout)
    .describe(
      'The maximum time in seconds that the caller waits for the execution. After that, the response has the execution_id.',
    )
    .meta({
      ...ui({ widget: 'duration', unit: 'seconds', when: { response_mode: ['last_node', 'respond_node'] } }),
      default: 30,
      examples: [10],
    })
    .optional(),
  methods: z
    .array(z.enum(webhookMethods))
    .min(1)
    .describe('The HTTP methods that the webhook accepts.')
    .meta({ default: ['POST'], examples: [['GET', 'POST']] })
    .optional(),
  accepts: z
    .array(
      z.union([z.enum(bodyKinds), z.string().regex(mediaRange, 'must be a media type, e.g. image/png or image/*')]),
    )
    .min(1)
    .max(maxAccepts)
    .describe(
      'The bodies that the webhook accepts: `json`, `form`, `multipart`, `text`, `xml`, `file` (any other), or media types ' +
        'in lower case such as `application/pdf` and `image/*`. Default: all.',
    )
    .meta({ ...ui({ advanced: true }), examples: [['json', 'image/*']] })
    .optional(),
  auth: z
    .enum(webhookAuths)
    .describe(
      'How a sender authenticates: with an API key (`key`, the default), not at all (`none`), or with the user name and ' +
        'password of the `tool` credential in `credential_id` (`basic`). An API key is always accepted.',
    )
    .meta({ default: 'key', examples: ['basic'] })
    .optional(),
  challenge: z
    .enum(webhookChallenges)
    .describe(
      'The service that verifies the address before it uses it: `slack`, or `meta`, whose verify token is the ' +
        '`webhook_secret` of the credential in `credential_id`.',
    )
    .meta({ ...ui({ advanced: true }), default: 'none', examples: ['slack'] })
    .optional(),
  signature: z
    .enum(['none', ...signatureSchemes])
    .describe(
      'The signature or token that a request may have instead of an API key, based on the `webhook_secret` of the ' +
        'credential in `credential_id`: the header `X-Webhook-Signature` with its time (`hmac_sha256`), GitHub’s ' +
        '`X-Hub-Signature-256` (`git_host_a`), GitLab’s `X-Gitlab-Token` (`git_host_b`), `Stripe-Signature` (`stripe`) or ' +
        '`X-Slack-Signature` (`slack`).',
    )
    .meta({ ...ui({ advanced: true }), default: 'none', examples: ['hmac_sha256'] })
    .optional(),
  dedupe_header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
    .describe(
      'A request header that identifies the delivery, e.g. `X-Delivery-Id`. If a value is repeated within 24 hours, no ' +
        'run starts, and the response is that of the first run. `Idempotency-Key` always works like this.',
    )
    .meta({ ...ui({ advanced: true }), examples: ['X-Delivery-Id'] })
    .optional(),
  rate_limit_per_minute: z
    .int()
    .min(1)
    .max(maxRate)
    .describe(
      'The maximum number of requests per minute, which may all arrive at once. Further ones are answered with 429 and ' +
        'a `Retry-After` header. Default: no limit.',
    )
    .meta({ ...ui({ unit: 'requests', advanced: true }), examples: [60] })
    .optional(),
});

export const triggerWebhook = defineComponent({
  type: 'trigger_webhook',
  label: 'Webhook Trigger',
  category: 'Triggers',
  icon: 'webhook',
  color: '#f97316',
  description: `Starts the workflow for each request to its webhook address. The execution is committed to disk before the caller
gets a response, so no accepted request is lost.

Use it to let another service start the workflow. The body is the payload: the key \`kind\` of a JSON body is
\`{{ trigger.payload.kind }}\`. A form becomes an object, multipart an object of fields and files, text and XML become text,
and any other body becomes a file; \`{{ trigger.content_type }}\` is its content type. API keys, cookies and authorization are
removed from the headers and the query.

This config lets the caller wait up to ten seconds for the response of a Respond node, and ignores repeated deliveries:

\`\`\`json
{ "response_mode": "respond_node", "timeout": 10, "dedupe_header": "X-Delivery-Id" }
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Order desk
nodes:
  - id: order
    type: trigger_webhook
    response_mode: last_node
    dedupe_header: X-Delivery-Id
  - id: confirm
    type: template
    template: Order {{ trigger.payload.id }} from {{ order.query.shop }}
edges:
  - order -> confirm
`,
    tests: `tests:
  - name: The caller gets the output of the last node
    payload: {id: A1}
    query: {shop: north}
    expect:
      response: {status: 200, body: Order A1 from north}
`,
  },
  inputs: [],
  outputs: [
    { name: 'payload', dataType: 'any', description: 'The body of the request.' },
    {
      name: 'headers',
      dataType: 'object',
      description: 'The headers of the request without secret ones; the names are in lower case.',
    },
    { name: 'query', dataType: 'object', description: 'The query of the request, without the API key.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  run({ input }) {
    const { payload = null, headers = {}, query = {} } = asObject(input, 'trigger');
    return { outputs: { payload, headers, query } };
  },
});
