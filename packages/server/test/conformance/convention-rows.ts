import { part } from './row.ts';

/** What holds for every endpoint. */
export const conventionRows = [
  part('Conventions', 'spec.conventions', [
    ['json', 'bodies are JSON', 'errors: other than JSON answers 415: %s', 'errors: is JSON as %s'],
    ['timestamps', 'timestamps are ISO 8601 without a zone', 'conformance/fields: a workflow has $name: $says'],
    [
      'slash',
      'paths end with a slash, the webhook’s without',
      'conformance/conventions: has every path of the specification in its documented form',
    ],
    [
      'version',
      'all endpoints are below `/api/v1/`',
      'conformance/conventions: has every path of the specification in its documented form',
    ],
  ]),
  part('Limits', 'spec.limits', [
    ['limit', '`limit` is 50 when left out', 'workflows.read: lists the newest first, 50 at a time'],
    ['offset', '`offset` is 0 when left out', 'workflows.read: lists the newest first, 50 at a time'],
    ['edges', 'the edge list has no pages', 'edges.change: is a flat list of all edges, in the order they were made'],
  ]),
  part('Conventions, what the interface adds', 'interface.conventions', [
    ['timestamps', 'UTC with microseconds', 'conformance/fields: a workflow has $name: $says'],
    [
      'updated-at',
      '`updated_at` moves with every change of the object, its nodes and edges',
      'workflows.read: moves updated_at and the version with every change of the graph',
      'nodes.change: tells subscribers, and moves updated_at',
      'schedules: change the node and its workflow as everybody sees them, and no version; the clock changes neither',
    ],
    [
      'slash',
      'paths answer with and without the slash',
      'workflows.read: answers with and without the slash at the end',
      'fuzz/fuzz: are answered as the OpenAPI document says, and never with a failure of the service',
    ],
    [
      'error.body',
      'an error’s body is `{"detail": …}`',
      'fuzz/fuzz: are answered as the OpenAPI document says, and never with a failure of the service',
      'conformance/errors: $id: $says',
    ],
    [
      'error.schema',
      'schema errors: 422 with `type`, `loc` and `msg`; `loc` begins with the place',
      'workflows.create: says of a missing field that it is required',
      'workflows.read: answers 422 to ?%s',
    ],
    ['error.edges', 'edge types: 422 `{"validation_errors"}`', 'conformance/errors: $id: $says'],
    [
      'order.authentication',
      'authentication is first',
      'errors: %s answers 401 before anything else is looked at',
      'auth: is refused before its body is read',
    ],
    [
      'order.object',
      'then the path object: 404',
      'workflows.change: answers 404 for a missing workflow before it looks at the body',
      'nodes.change: answers 404 for %s, before it looks at the body',
    ],
    [
      'order.body',
      'then the body: 422, before conflicts: 409',
      'conformance/conventions: looks at the body before it looks for conflicts',
    ],
    ['malformed', 'malformed JSON: 400', 'errors: answers 400 to %j without repeating it'],
    [
      'unknown-keys',
      'unknown keys and parameters are ignored; `Millrace-Warning` names each with the closest known name',
      'unknown-names: %s ignores with a warning',
      'workflows.create: ignores keys that it does not know, also those of columns that are not the caller’s to set',
      'nodes.create: ignores common keys that it does not know',
    ],
    [
      'unknown-keys.strict',
      'with `Prefer: handling=strict` they are 422',
      'unknown-names: %s refuses to strict callers',
      'unknown-names: are found at any depth, and a component setting outside extra_config is one',
      'server/src/http/handling/prefer: Prefer: %s asks for strict handling: %s',
    ],
    [
      'unknown-keys.read-only',
      'read-only fields of the resource are ignored without a warning, so GET → edit → PATCH works',
      'unknown-names: may be sent back by strict callers of %s',
    ],
    [
      'unknown-keys.own',
      'the product’s own pages send `handling=strict`',
      'unknown-names: send handling=strict with every request',
    ],
    [
      'null',
      'null where it cannot be: 422, never 500',
      'workflows.create: answers 422 naming %s when it is %j',
      'edges.create: answers 422 naming %s when it is %j',
      'errors.fuzz: %s %s is answered, and never with a 500',
    ],
    ['no-key', 'no key: 401 `Not authenticated`', 'auth: with %s is not authenticated'],
    ['wrong-key', 'a wrong key: 401 `Invalid or missing API key.`', 'auth: with a key that is %s is refused'],
    [
      'bearer',
      '401 has `WWW-Authenticate: Bearer`',
      'errors: %s answers 401 before anything else is looked at',
      'fuzz/checks: says: %s',
    ],
    [
      'foreign',
      'a workflow that is not the caller’s answers as a missing one',
      'matrix: %s, whatever the verb and the body',
      'fuzz/fuzz: are answered as the OpenAPI document says, and never with a failure of the service',
    ],
    [
      'pages',
      '`limit` 1 to 1000, `offset` from 0; else 422',
      'workflows.read: answers 422 to ?%s',
      'executions: refuses %s',
    ],
    [
      'order.list',
      'newest first, in a stable order',
      'workflows.read: shows the part that limit and offset name',
      'executions: lists the caller’s executions, newest first',
    ],
    [
      'total',
      '`total` counts what the caller may see',
      'workflows.read: shows and counts only what is the caller’s, public ones of others not either',
    ],
    [
      'size.api',
      '1 MiB for API bodies; over it 413',
      'errors: answers 413 to more bytes than allowed, announced or not',
    ],
    ['size.webhook', '5 MiB for webhooks; over it 413', 'webhooks.accept: takes 5 MiB, and not a byte more'],
    [
      'depth',
      'JSON deeper than 64: 422',
      'errors: answers 422 to JSON deeper than 64 levels, however deep',
      'webhooks.accept: takes 64 levels of nesting, and not 65',
    ],
    [
      'rate.authentication',
      'failed authentication 20 times a minute from an address: 429 with `Retry-After`',
      'auth: that shows wrong keys 20 times in a minute is told to wait, unless its key is right',
      'server/src/http/plumbing/failed-auth: are answered 20 times a minute, then told to wait for the rest of it',
    ],
    [
      'openapi',
      'OpenAPI 3.1 of everything at `/openapi.json`',
      'openapi: is OpenAPI 3.1, without a key',
      'openapi: has every path of the interface',
      'fuzz/fuzz: are answered as the OpenAPI document says, and never with a failure of the service',
    ],
    [
      'docs',
      'a page for people at `/docs`',
      'openapi: is a page of our own scripts only, without a key',
      'docs/api: has an example of every endpoint',
    ],
  ]),
];
