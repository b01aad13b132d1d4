import { part } from './row.ts';

/** The webhook trigger: the specification, and what the interface adds. */
export const webhookRows = [
  part('Webhook', 'spec.webhook', [
    [
      'post',
      'POST without a slash at the end starts the workflow: 200',
      'webhooks.accept: at %s accepts a run and has it on disk when it answers',
    ],
    ['payload', 'JSON of any shape is the input', 'webhooks.accept: takes the payload %s'],
    [
      'auth.header',
      'the key in `Authorization: Bearer`',
      'webhooks.accept: at %s accepts a run and has it on disk when it answers',
    ],
    ['auth.query', 'the key in `?api_key=`', 'webhooks.accept: may stand in the query'],
    ['auth.failed', 'failed authentication: 401', 'webhooks.accept: that is %s is refused in the same words'],
  ]),
  part('Webhook, what the interface adds', 'interface.webhook', [
    [
      'answer',
      '`{status, execution_id, message}` after the commit',
      'webhooks.accept: at %s accepts a run and has it on disk when it answers',
    ],
    ['401', '401 `Invalid or missing API key`', 'webhooks.accept: that is %s is refused in the same words'],
    [
      '404.missing',
      "404 `Workflow '<slug>' not found` for a missing one",
      'webhooks.accept: because no workflow has the slug',
    ],
    ['404.deleted', 'the same for a deleted one', 'webhooks.accept: because its workflow was deleted'],
    ['404.inactive', 'the same for an inactive one', 'webhooks.accept: because its workflow is not active'],
    [
      '404.no-trigger',
      'the same without a `trigger_webhook`',
      'webhooks.accept: because its workflow has no trigger',
      'webhooks.accept: because it has several triggers, none of them a webhook',
    ],
    [
      '404.foreign',
      'the same for one that is not the caller’s',
      'webhooks.accept: because it is another user’s; unless it is public',
    ],
    [
      'trigger.priority',
      'the active trigger of highest `priority`, then lowest `id`, starts',
      'webhooks.accept: is the active one with the highest priority, then the lowest id',
    ],
    [
      'trigger.only',
      'without one, the only trigger starts',
      'webhooks.accept: is the only trigger of a workflow that has no webhook',
    ],
    [
      'mode.immediately',
      '`immediately`: answered when accepted',
      'webhooks.accept: at %s accepts a run and has it on disk when it answers',
    ],
    ['mode.last-node', '`last_node`: answered with the output', 'webhooks.answer: answers what the run gave'],
    [
      'mode.respond-node',
      '`respond_node`: the node sets status, headers and body',
      'webhooks.answer: lets the node set status, headers and body',
    ],
    [
      'idempotency',
      'the same `Idempotency-Key` within 24 hours starts nothing and gets the first execution',
      'idempotency: that comes again with its Idempotency-Key starts nothing and is answered with the first run',
      'idempotency: is remembered for 24 hours',
    ],
    [
      'idempotency.body',
      'the same `Idempotency-Key` with another body: 409, and nothing is started',
      'idempotency: with another body is refused with 409: %s',
      'server/src/store/sql/crash: a key that was answered is known with its body after a crash',
    ],
    [
      'idempotency.replayed',
      'a repeated answer has the header `Idempotent-Replayed: true`',
      'idempotency: with another body is refused with 409: %s',
      'idempotency: starts nothing the second time, and answers with the first execution',
    ],
    [
      'dedupe-header',
      '`dedupe_header` names another header for it',
      'idempotency: is the one the trigger names, and Idempotency-Key where that is missing',
    ],
    [
      'signature',
      '`signature` of a webhook request stands for a key',
      'webhooks.signature: by %s stands for a key',
      'webhooks.signature: by a workflow %s',
    ],
    [
      'signature.time',
      'of `hmac_sha256`, `stripe` and `slack`, timestamps older than 5 minutes are rejected',
      'webhooks.signature: by %s is refused more than five minutes before and after its time',
    ],
    [
      'signature.stripe',
      'a `Stripe-Signature` may have several signatures, one of which must be valid',
      'webhooks.signature: by stripe is one of several, as while its secret changes',
    ],
    [
      'methods',
      '`methods`, by default `POST`; any other: 401 first, then 405 with `Allow`',
      'webhooks.keyless: is one of those that the trigger names: %j',
    ],
    [
      'accepts',
      '`accepts`, by default all; any other: 415 that names what the trigger accepts',
      'webhooks.bodies: %j refuses all others, and names what it accepts',
    ],
    [
      'auth.none',
      '`auth` `none`: no key is needed, but a signature if there is one',
      'webhooks.keyless: takes requests without a key',
      'webhooks.keyless: and a signature takes signed requests only',
    ],
    [
      'auth.basic',
      '`auth` `basic`: the user name and password of a `tool` credential',
      'webhooks.keyless: takes the user name and password of its credential, or a key',
      'webhooks.keyless: refuses %s in the words of a missing key',
      'webhooks.keyless: takes nothing where its credential is %s',
    ],
    [
      'challenge.slack',
      '`challenge` `slack`: a `url_verification` is answered with its challenge',
      'webhooks.keyless: repeats the challenge, and starts nothing',
    ],
    [
      'challenge.meta',
      '`challenge` `meta`: the verify token is the `webhook_secret`',
      'webhooks.keyless: repeats the challenge of who knows its token, and starts nothing',
      'webhooks.keyless: refuses any other token',
    ],
    ['content-type', '`trigger.content_type` gives the content type', 'webhooks.bodies: %s is in trigger.content_type'],
    [
      'respond.any-type',
      'a respond node answers text, HTML, XML and files',
      'webhooks.answer: is of any type that it names: %s',
      'webhooks.answer: is the bytes of a file, with its own type unless it names another: %s',
    ],
    [
      'input-schema',
      'a payload that breaks `input_schema`: 422 with JSON Pointers, nothing started',
      'webhooks.accept: that breaks the input schema starts nothing, and its sender learns where it does',
    ],
    ['body.empty', 'no body is `{}`', 'webhooks.accept: takes no body at all as an empty object'],
    [
      'body.malformed',
      'a body that is not what its content type says, e.g. not JSON: 400',
      'webhooks.accept: refuses the body %s: it is not JSON',
      'webhooks.bodies: of type %s that is something else is refused',
    ],
    [
      'body.types',
      'multipart becomes fields and files, text and XML text, other types a file',
      'webhooks.bodies: of type %s is read as what it is',
      'webhooks.bodies: of any other type is a file of the same bytes',
      'webhooks.bodies: in multipart is an object of fields and files, as they were sent',
    ],
    [
      'body.form',
      'a form is an object',
      'webhooks.accept: takes a form as an object, and values given twice as a list',
    ],
    [
      'timeout',
      'synchronous modes wait `timeout`, 30 s when left out, then 202 with the id',
      'webhooks.answer: answers that the run goes on when it takes longer than 30 seconds',
      'webhooks.answer: waits as long as the trigger says',
    ],
  ]),
];
