import { part } from './row.ts';

const defaults = 'credentials: creates one of type %s with the defaults of the specification';
const masks = 'credentials: masks every secret and shows the rest';
const missing = 'credentials: answers 404 for %s, before it checks the body';

/** Credentials: their fields and endpoints in the specification, and what the interface adds. */
export const credentialRows = [
  part('Credential', 'spec.credential', [
    ['id', '`id`: int', defaults],
    ['name', '`name`: string', defaults],
    ['credential_type', '`credential_type`: `llm`, `chat_bot`, `git` or `tool`', defaults, 'credentials: %.80j'],
    ['detail', '`detail`: fields of the type', defaults],
    ['created_at', '`created_at`: timestamp', defaults],
    ['updated_at', '`updated_at`: timestamp', defaults],
    ['llm.provider_type', '`llm.provider_type`: `provider_a_compatible` when left out', defaults],
    ['llm.api_key', '`llm.api_key`: empty when left out; masked', defaults, masks],
    ['llm.base_url', '`llm.base_url`: empty when left out', defaults],
    ['llm.organization_id', '`llm.organization_id`: empty when left out', defaults],
    ['llm.custom_headers', '`llm.custom_headers`: `{}` when left out', defaults],
    ['chat_bot.bot_token', '`chat_bot.bot_token`: empty when left out; masked', defaults, masks],
    ['chat_bot.allowed_user_ids', '`chat_bot.allowed_user_ids`: empty when left out', defaults],
    ['git.provider', '`git.provider`: `git_host_a` when left out', defaults],
    ['git.credential_type', '`git.credential_type`: `token` when left out', defaults],
    ['git.username', '`git.username`: empty when left out', defaults],
    ['git.ssh_private_key', '`git.ssh_private_key`: empty when left out', defaults],
    ['git.access_token', '`git.access_token`: empty when left out', defaults],
    ['git.webhook_secret', '`git.webhook_secret`: empty when left out', defaults],
    ['tool.tool_type', '`tool.tool_type`: `api` when left out', defaults],
    ['tool.config', '`tool.config`: `{}` when left out', defaults],
    ['mask', 'a mask is `<first4>****<last4>`', 'core/src/credentials/secret-mask: of %j is %j', masks],
  ]),
  part('Credential endpoints', 'spec.credentials', [
    [
      'list',
      'GET with `limit` (50) and `offset` (0): 200 `{items, total}`, masked',
      'credentials: lists all of them to every user with a full key, newest first, in pages',
    ],
    ['create', 'POST `name`, `credential_type`, `detail?`: 201 masked', defaults, masks],
    ['read', 'GET one: 200', masks],
    ['update', 'PATCH name or some of `detail`: 200', 'credentials: changes the given fields and nothing else'],
    ['delete', 'DELETE: 204', 'credentials: deletes one, and the nodes that used it keep its id'],
    ['batch-delete', 'POST batch-delete `{ids}`: 204', 'credentials: deletes several; unknown ones are ignored'],
    ['missing', '404 `Credential not found.`', missing],
    [
      'test',
      'POST test: 200 with a body of success or failure',
      'credential-models: answers 200 whether the key works or not',
    ],
    [
      'test.call',
      'test makes a minimal call that needs the key',
      'server/src/models/probes: is one minimal call',
      'server/src/models/probes: requests one token if the model list is public',
    ],
    ['models', 'GET models: 200 list of `{id, name}`', 'credential-models: lists models by id'],
    [
      'models.curated',
      'for `provider_b` the list is our own',
      'server/src/models/probes: is our own for an Anthropic provider, which gets no request',
    ],
    [
      'models.asked',
      'for `provider_a_compatible` the provider is asked',
      'server/src/models/probes: comes from an OpenAI-compatible provider, by id',
    ],
    ['llm-missing', '404 `LLM credential not found.`', 'credential-models: does not find the credential %s'],
    [
      'global',
      'any authenticated user reads and changes any credential',
      'credentials: lists all of them to every user with a full key, newest first, in pages',
      'matrix: %s the answer of its row',
    ],
  ]),
  part('Credentials, what the interface adds', 'interface.credentials', [
    ['mask.short', 'shorter values are `****`, empty ones stay empty', 'core/src/credentials/secret-mask: of %j is %j'],
    ['mask.fields', 'which fields and keys are secret', masks],
    [
      'mask.unchanged',
      'a mask sent back changes nothing',
      'core/src/credentials/credential-secrets: of type %s',
      'credentials: accepts another secret, clears one by an empty text, and rejects a mask that is not the current one',
    ],
    ['type', '`credential_type` never changes', 'credentials: never changes the type'],
    ['unknown', 'a `detail` key that the type does not have: 422', 'credentials: %.80j'],
    [
      'sealed',
      'all of `detail` is encrypted (AES-256-GCM, key id in front)',
      'server/src/secrets/keys/seal: begins with the id of its key, and differs each time',
      'server/src/secrets/keys/seal: opens only with its own binding and its own key',
    ],
    [
      'key-file',
      'the key is the operator’s, or a file of mode 0600',
      'server/src/secrets/keys/unlock: creates a key that only its owner may read, and the next start finds it',
      'server/src/secrets/keys/unlock: with the operator’s key creates no file',
    ],
    [
      'rotation',
      'the key is rotated while the service runs',
      'server/src/secrets/rotation: reseals everything and deletes the old key',
      'server/src/secrets/rotation: lets a running service read and write without a restart',
    ],
    [
      'refusal',
      'the start is refused when the key does not open what is stored',
      'server/src/secrets/keys/unlock: if the key file was replaced',
      'server/src/secrets/keys/unlock: if the operator’s key was changed, whatever the file contains',
    ],
    ['test.limit', 'test answers within 15 seconds', 'credential-models: answers within 15 seconds'],
    [
      'models.failure',
      'a provider that fails: `[]` with `Millrace-Warning`',
      'credential-models: lists none if the provider fails or the credential is locked, with the reason in a header',
    ],
    [
      'origin',
      'a secret goes only to the origin it was entered for',
      'server/src/secrets/llm-endpoints: sends no secret to another origin, but sends it to another path of its own',
      'http-requests.credentials: receives the secret only if the secret is entered again with it',
      'http-requests.credentials: within its origin is followed with the secret of %j, to another origin without it',
    ],
    [
      'egress',
      'http and https only; never link-local, metadata or the own port',
      'server/src/outbound/client: never sends to %s',
      'server/src/outbound/egress-allow: never allows %s',
      'server/src/outbound/egress-allow: never allows the service’s own port',
    ],
    [
      'egress.private',
      'private addresses where it listens on loopback, or where they are allowed',
      'server/src/outbound/client: reaches neither its own port nor, when it listens publicly, this machine by %s',
      'server/src/outbound/egress-allow: %j for %s: %s',
    ],
    [
      'egress.redirects',
      'redirects are checked again and lose secrets elsewhere',
      'server/src/outbound/client: checks each redirect again',
      'server/src/outbound/client: removes secrets when a redirect leaves the origin, and keeps them when it does not',
    ],
    [
      'delete',
      'after DELETE, nodes keep its id and `validate/` reports `credential_missing`',
      'validate: are deleted credentials, in %s',
      'credentials: deletes one, and the nodes that used it keep its id',
    ],
  ]),
];
