import { asObject, defineComponent, signatureSchemes } from '@millrace/core';
import { z } from 'zod';

/** Seconds: proxies give up on a request that stays without an answer for longer. */
const maxTimeout = 600;

/** A minute: a thousand in each second, which is more than one disk takes. */
const maxRate = 60_000;

const config = z.strictObject({
  response_mode: z
    .enum(['immediately', 'last_node', 'respond_node'])
    .describe(
      'What the caller is answered: at once that the run is accepted (`immediately`, the default), the output of the ' +
        'last node (`last_node`), or what a Respond node says (`respond_node`).',
    )
    .optional(),
  timeout: z
    .number()
    .positive()
    .max(maxTimeout)
    .describe(
      'How many seconds the caller waits for an answer of the run. Default: 30. After that it is told the execution_id.',
    )
    .optional(),
  signature: z
    .enum(['none', ...signatureSchemes])
    .describe(
      'How a request may prove, instead of showing an API key, that its sender knows the `webhook_secret` of the ' +
        'credential in `credential_id`: the header `X-Webhook-Signature` with its time (`hmac_sha256`), GitHub’s ' +
        '`X-Hub-Signature-256` (`git_host_a`) or GitLab’s `X-Gitlab-Token` (`git_host_b`). Default: `none`.',
    )
    .optional(),
  dedupe_header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
    .describe(
      'A request header that names the delivery, e.g. `X-Delivery-Id`. The same value within 24 hours starts nothing ' +
        'and answers the first run again. `Idempotency-Key` does so always.',
    )
    .optional(),
  rate_limit_per_minute: z
    .int()
    .min(1)
    .max(maxRate)
    .describe(
      'How many requests a minute are taken, as many as that at once. Further ones are answered 429, with a `Retry-After` ' +
        'that says when there is room. Default: no limit.',
    )
    .optional(),
});

export const triggerWebhook = defineComponent({
  type: 'trigger_webhook',
  label: 'Webhook Trigger',
  category: 'Triggers',
  icon: 'webhook',
  color: '#f97316',
  description: `Starts the workflow for each \`POST\` to its webhook address. The run is on disk before the caller gets its
answer, so nothing that was accepted is lost.

Use it to let another service start the workflow. The request's JSON is the payload: its key \`kind\` is
\`{{ trigger.payload.kind }}\`. Headers and query come without keys, cookies and authorization.

Let the caller wait up to ten seconds for what a Respond node says, and let a repeated delivery start nothing:

\`\`\`json
{ "response_mode": "respond_node", "timeout": 10, "dedupe_header": "X-Delivery-Id" }
\`\`\``,
  inputs: [],
  outputs: [
    { name: 'payload', dataType: 'any', description: 'The body of the request.' },
    {
      name: 'headers',
      dataType: 'object',
      description: 'The headers of the request, names in lower case, none that is secret.',
    },
    { name: 'query', dataType: 'object', description: 'The query of the address, without the API key.' },
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
