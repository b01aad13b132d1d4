import { part } from './row.ts';

/** The webhook trigger: the specification, and the additions of the interface. */
export const webhookRows = [
  part('Webhook', 'spec.webhook', [
    [
      'post',
      'POST without a trailing slash starts the workflow: 200',
      'webhooks.accept: at %s accepts a run and has committed it when it answers',
    ],
    ['payload', 'JSON of any shape is the input', 'webhooks.accept: is accepted as the payload %s'],
    [
      'auth.header',
      'the key in `Authorization: Bearer`',
      'webhooks.accept: at %s accepts a run and has committed it when it answers',
    ],
    ['auth.query', 'the key in `?api_key=`', 'webhooks.accept: may be in the query'],
    ['auth.failed', 'failed authentication: 401', 'webhooks.accept: that is %s is rejected with the same message'],
  ]),
  part('Webhook: additions of the interface', 'interface.webhook', [
    [
      'answer',
      '`{status, execution_id, message}` after the commit',
      'webhooks.accept: at %s accepts a run and has committed it when it answers',
    ],
    ['401', '401 `Invalid or missing API key`', 'webhooks.accept: that is %s is rejected with the same message'],
    [
      '404.missing',
      "404 `Workflow '<slug>' not found` for a missing one",
      'webhooks.accept: if no workflow has the slug',
    ],
    ['404.deleted', 'the same for a deleted one', 'webhooks.accept: if its workflow was deleted'],
    ['404.inactive', 'the same for an inactive one', 'webhooks.accept: if its workflow is not active'],
    [
      '404.no-trigger',
      'the same without a `trigger_webhook`',
      'webhooks.accept: if its workflow has no trigger',
      'webhooks.accept: if it has several triggers, none of them a webhook',
    ],
    [
      '404.foreign',
      'the same for a workflow of another user',
      'webhooks.accept: if it belongs to another user, unless it is public',
    ],
    [
      'trigger.priority',
      'the active trigger with the highest `priority`, then the lowest `id`, starts',
      'webhooks.accept: is the active one with the highest priority, then the lowest id',
    ],
    [
      'trigger.only',
      'without one, the only trigger starts',
      'webhooks.accept: is the only trigger of a workflow that has no webhook',
    ],
    [
      'mode.immediately',
      '`immediately`: answered after it was accepted',
      'webhooks.accept: at %s accepts a run and has committed it when it answers',
    ],
    ['mode.last-node', '`last_node`: answered with the output', 'webhooks.answer: answers with the output of the run'],
    [
      'mode.respond-node',
      '`respond_node`: the node sets status, headers and body',
      'webhooks.answer: lets the node set status, headers and body',
    ],
    [
      'mode.failed',
      'a synchronous webhook whose execution fails: 500 with a fixed text and the id, never the error of a node',
      'webhooks.answer: answers a failed run with a fixed text and its id, also to the owner',
      'webhooks.answer: answers a run that failed before its respond node with a fixed text and its id',
      'webhooks.keyless: does not reveal to a stranger without access why a run failed',
    ],
    [
      'idempotency',
      'the same `Idempotency-Key` within 24 hours starts nothing and returns the first execution',
      'idempotency: that is repeated with its Idempotency-Key starts nothing and is answered with the first run',
      'idempotency: is remembered for 24 hours',
    ],
    [
      'idempotency.body',
      'the same `Idempotency-Key` with another body: 409, and nothing is started',
      'idempotency: with another body is rejected with 409: %s',
      'server/src/store/sql/crash: a key that was answered is known with its body after a crash',
    ],
    [
      'idempotency.replayed',
      'a repeated answer has the header `Idempotent-Replayed: true`',
      'idempotency: with another body is rejected with 409: %s',
      'idempotency: starts nothing the second time, and answers with the first execution',
    ],
    [
      'dedupe-header',
      '`dedupe_header` names another header for it',
      'idempotency: is the one the trigger names, or else Idempotency-Key',
    ],
    [
      'signature',
      'a valid signature replaces the key',
      'webhooks.signature: by %s replaces a key',
      'webhooks.signature: by a workflow %s',
    ],
    [
      'signature.time',
      'of `hmac_sha256`, `stripe` and `slack`, timestamps older than 5 minutes are rejected',
      'webhooks.signature: by %s is rejected more than five minutes before or after its time',
    ],
    [
      'signature.stripe',
      'a `Stripe-Signature` may have several signatures, one of which must be valid',
      'webhooks.signature: by stripe may be one of several, as during a change of its secret',
    ],
    [
      'methods',
      '`methods`, by default `POST`; others: 401 first, then 405 with `Allow`',
      "webhooks.keyless: is one of those in the trigger's config: %j",
    ],
    [
      'accepts',
      '`accepts`, by default all; any other: 415 that names the accepted types',
      'webhooks.bodies: %j rejects all others, and names what it accepts',
    ],
    [
      'auth.none',
      '`auth` `none`: no key is required, but a signature if one is configured',
      'webhooks.keyless: accepts requests without a key',
      'webhooks.keyless: and a signature accepts only signed requests',
    ],
    [
      'auth.basic',
      '`auth` `basic`: the user name and password of a `tool` credential',
      'webhooks.keyless: accepts the user name and password of its credential, or a key',
      'webhooks.keyless: rejects %s with the message for a missing key',
      'webhooks.keyless: accepts nothing if its credential is %s',
    ],
    [
      'challenge.slack',
      '`challenge` `slack`: a `url_verification` is answered with its challenge',
      'webhooks.keyless: returns the challenge, and starts nothing',
    ],
    [
      'challenge.meta',
      '`challenge` `meta`: the verify token is the `webhook_secret`',
      'webhooks.keyless: returns the challenge to a caller with the right token, and starts nothing',
      'webhooks.keyless: rejects any other token',
    ],
    ['content-type', '`trigger.content_type` is the content type', 'webhooks.bodies: %s is in trigger.content_type'],
    [
      'respond.any-type',
      'a respond node can return text, HTML, XML and files',
      'webhooks.answer: has any content type that the node sets: %s',
      'webhooks.answer: can be the bytes of a file, with its own type unless the node sets another: %s',
    ],
    [
      'input-schema',
      'a payload that violates `input_schema`: 422 with JSON Pointers, and nothing is started',
      'webhooks.accept: that violates the input schema starts nothing, and the answer shows the path of the error',
    ],
    ['body.empty', 'an empty body is `{}`', 'webhooks.accept: may be missing, which is an empty object'],
    [
      'body.malformed',
      'a body that does not match its content type, e.g. invalid JSON: 400',
      'webhooks.accept: is rejected as invalid JSON: %s',
      'webhooks.bodies: of type %s with invalid content is rejected',
    ],
    [
      'body.types',
      'multipart becomes fields and files, text and XML become text, other types become a file',
      'webhooks.bodies: of type %s is parsed as that type',
      'webhooks.bodies: of any other type becomes a file with the same bytes',
      'webhooks.bodies: in multipart becomes an object of fields and files, exactly as sent',
    ],
    [
      'body.form',
      'a form is an object',
      'webhooks.accept: may be a form, which becomes an object, with a list for repeated fields',
    ],
    [
      'timeout',
      'synchronous modes wait for `timeout`, by default 30 s, then 202 with the id',
      'webhooks.answer: answers that the run continues if it takes longer than 30 seconds',
      'webhooks.answer: waits as long as the trigger allows',
    ],
  ]),
];
