import { type Credential, type CredentialType, type Json, type JsonObject, Problem } from '@millrace/core';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openSecret } from '../../src/secrets/credential-secret.ts';
import { createCredentials } from '../../src/services/credentials/credentials.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { counted, reached } from '../support/reached.ts';
import { testVault } from '../support/vault.ts';

/** Sequences in which two users read, edit and send back; 100,000 before a release. */
const sequences = Number(process.env.MASK_SEQUENCES ?? 10_000);

const store = openSqliteStore({ path: ':memory:' });
const vault = testVault(store);
let now = 0;
const clock = { now: () => (now += 1) };
const credentials = createCredentials({ store, clock, vault, log: { info: () => undefined } });
afterAll(() => store.close());

/** The initial credentials: secrets of every kind, and public fields. */
const beginnings: Readonly<Record<CredentialType, JsonObject>> = {
  llm: {
    api_key: 'sk-the-first-key-of-all',
    organization_id: 'org',
    custom_headers: { 'X-A': 'a-long-header-value', 'X-B': 'short', 'X-C': 'another-long-value' },
  },
  chat_bot: { bot_token: '123456:the-first-bot-token', allowed_user_ids: '1' },
  git: { access_token: 'short', webhook_secret: 'the-first-webhook-secret', ssh_private_key: 'KEY\nOF\nLINES\n' },
  tool: {
    config: {
      url: 'https://a.example',
      token: 'the-first-tool-token',
      deep: { password: 'short', on: true },
      keys: ['the-first-of-a-list', 'x'],
    },
  },
};

/** The paths of the secrets that a sequence may replace; a list is one value. */
const secretPlaces: Readonly<Record<CredentialType, readonly (readonly string[])[]>> = {
  llm: [['api_key'], ['custom_headers', 'X-A'], ['custom_headers', 'X-B'], ['custom_headers', 'X-C']],
  chat_bot: [['bot_token']],
  git: [['access_token'], ['webhook_secret'], ['ssh_private_key']],
  tool: [
    ['config', 'token'],
    ['config', 'deep', 'password'],
    ['config', 'keys'],
  ],
};

const publicPlaces: Readonly<Record<CredentialType, readonly string[]>> = {
  llm: ['organization_id'],
  chat_bot: ['allowed_user_ids'],
  git: ['username'],
  tool: ['config', 'url'],
};

type Step =
  | { readonly kind: 'read'; readonly user: number }
  /** Sends what the user read, possibly long ago, with one field changed. */
  | { readonly kind: 'send'; readonly user: number; readonly place: number; readonly edit: Edit };
type Edit = 'nothing' | 'public' | 'full mask' | 'new secret' | 'only new secret' | 'clear' | 'another mask';

const edits: readonly Edit[] = [
  'nothing',
  'public',
  'full mask',
  'new secret',
  'only new secret',
  'clear',
  'another mask',
];
const user = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('read' as const), user }),
  fc.record({ kind: fc.constant('send' as const), user, place: fc.nat(10), edit: fc.constantFrom(...edits) }),
);

let made = 0;
/** A secret that was never used before; every third is short, so that its mask shows nothing. */
function newSecret(): string {
  made += 1;
  return made % 3 === 0 ? `s${made}` : `secret-number-${made}-of-all`;
}

function at(value: Json | undefined, place: readonly string[]): Json | undefined {
  return place.reduce<Json | undefined>((inner, key) => (inner as JsonObject | undefined)?.[key], value);
}

function withAt(value: JsonObject, [key = '', ...rest]: readonly string[], leaf: Json): JsonObject {
  const inner = value[key];
  return { ...value, [key]: rest.length === 0 ? leaf : withAt((inner ?? {}) as JsonObject, rest, leaf) };
}

/** What is sent, and which secret it replaces. */
function edited(
  detail: JsonObject,
  place: readonly string[],
  type: CredentialType,
  edit: Edit,
): [JsonObject, Json | null] {
  const isList = Array.isArray(at(detail, place));
  switch (edit) {
    case 'nothing':
      return [detail, null];
    case 'public':
      return [withAt(detail, publicPlaces[type], `changed ${made}`), null];
    case 'full mask':
      return [isList || at(detail, place) === undefined ? detail : withAt(detail, place, '****'), null];
    case 'another mask':
      return [withAt(detail, place, isList ? ['****', '****'] : 'zzzz****zzzz'), null];
    case 'clear':
      return [withAt(detail, place, isList ? [] : ''), isList ? [] : ''];
    default: {
      const given = isList ? [newSecret(), newSecret()] : newSecret();
      return [withAt(edit === 'new secret' ? detail : {}, place, given), given];
    }
  }
}

/** The secrets that the sequence expects: each as it was last set. */
class Expected {
  readonly #values = new Map<string, Json | undefined>();
  readonly #places: readonly (readonly string[])[];

  constructor(type: CredentialType) {
    this.#places = secretPlaces[type];
    for (const place of this.#places) this.#values.set(place.join('.'), at(beginnings[type], place));
  }

  give(place: readonly string[], value: Json): void {
    // An empty header is removed.
    this.#values.set(place.join('.'), place[0] === 'custom_headers' && value === '' ? undefined : value);
  }

  /**
   * An empty text or list is not a mask: if it was read before another user set a secret, sending it clears the secret.
   */
  clearWhereEmpty(sent: JsonObject): void {
    for (const place of this.#places) {
      const value = at(sent, place);
      if (value === '' || (Array.isArray(value) && value.length === 0)) this.give(place, value as Json);
    }
  }

  check(detail: JsonObject): void {
    for (const place of this.#places)
      expect([place, at(detail, place)]).toEqual([place, this.#values.get(place.join('.'))]);
  }
}

const actor = { userId: 1, keyId: 1 };
let [taken, rejected] = [0, 0];

async function runSequence(type: CredentialType, steps: readonly Step[]): Promise<void> {
  const begun = await credentials.create(actor, { name: 'c', credentialType: type, detail: completed(type) });
  const expected = new Expected(type);
  const seen: [Credential, Credential] = [begun, begun];
  for (const each of steps) {
    const reader = each.user === 0 ? 0 : 1;
    if (each.kind === 'read') seen[reader] = await credentials.find(begun.id);
    else await send(seen[reader], each, expected);
  }
  const sealed = await store.credentials.sealedById(begun.id);
  if (sealed === null) throw new Error('the credential is missing');
  expected.check(openSecret(vault, sealed).detail);
  await store.credentials.remove([begun.id]);
}

async function send(read: Credential, { place: n, edit }: Step & { kind: 'send' }, expected: Expected): Promise<void> {
  const places = secretPlaces[read.credentialType];
  const place = places[n % places.length] ?? [];
  const [sent, given] = edited(read.detail, place, read.credentialType, edit);
  try {
    await credentials.update(actor, read.id, { detail: sent });
    taken += 1;
    if (edit === 'another mask') throw new Error('a mask of no secret was accepted');
    expected.clearWhereEmpty(sent);
    if (given !== null) expected.give(place, given);
  } catch (error) {
    // A mask in it was out of date: then nothing at all is stored.
    if (!(error instanceof Problem && error.code === 'invalid')) throw error;
    rejected += 1;
  }
}

function completed(type: CredentialType): JsonObject {
  const common = {
    llm: { provider_type: 'provider_b', base_url: '' },
    git: { provider: 'git_host_a', credential_type: 'token', username: '' },
  };
  const rest = type === 'llm' || type === 'git' ? common[type] : type === 'tool' ? { tool_type: 'api' } : {};
  return { ...rest, ...beginnings[type] };
}

// Twice the time it needs on a busy machine with two cores.
test('a mask that is read, edited around and sent back never changes a secret', {
  timeout: 300_000 + sequences * 10,
}, async () => {
  const type = fc.constantFrom<CredentialType>('llm', 'chat_bot', 'git', 'tool');
  await fc.assert(fc.asyncProperty(type, fc.array(step, { minLength: 1, maxLength: 10 }), runSequence), {
    numRuns: sequences,
  });
  // Both must happen often, otherwise the sequences show little.
  expect(taken).toBeGreaterThan(sequences / 2);
  expect(rejected).toBeGreaterThan(sequences / 10);
  reached('P8', `${counted(sequences)} sequences with ${counted(taken)} changes, 0 secrets changed by a mask`);
});
