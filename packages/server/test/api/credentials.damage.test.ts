import { join } from 'node:path';
import { credential } from '@millrace/contract';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { unlockVault } from '../../src/secrets/keys/unlock.ts';
import type { Vault } from '../../src/secrets/keys/vault.ts';
import { createLlmEndpoints } from '../../src/secrets/llm-endpoints.ts';
import { Installation } from '../support/installation.ts';

const path = '/api/v1/credentials/';
const secret = 'sk-the-secret-that-must-not-show';

const outbound = { sendSecret: () => Promise.reject(new Error('nothing is sent here')) };

/** One credential, its vault, and a way to change its stored row. */
class Damage {
  readonly installation: Installation;
  readonly vault: Vault;
  readonly id: number;
  readonly #db: Database.Database;

  private constructor(installation: Installation, parts: { vault: Vault; id: number }) {
    this.installation = installation;
    this.vault = parts.vault;
    this.id = parts.id;
    this.#db = new Database(join(installation.folder, 'millrace.db'));
  }

  static async start(): Promise<Damage> {
    const installation = await Installation.start();
    const detail = { api_key: secret, base_url: 'https://a.example', custom_headers: { 'X-A': secret } };
    const { body } = await installation.api.post(path, { name: 'Mine', credential_type: 'llm', detail });
    const vault = await unlockVault(installation.keys(), installation.store.secretKeys);
    return new Damage(installation, { vault, id: credential.parse(body).id });
  }

  /** The bytes of a column, as text. */
  read(column: string): Buffer {
    const row = this.#db
      .prepare<[], { value: Buffer }>(`SELECT CAST(${column} AS BLOB) AS value FROM credentials`)
      .get();
    if (row === undefined) throw new Error('the credential is missing');
    return row.value;
  }

  write(column: string, value: Buffer): void {
    this.#db.prepare(`UPDATE credentials SET ${column} = CAST(? AS TEXT)`).run(value);
  }

  swapIds(from: number, to: number): void {
    this.#db.prepare('UPDATE credentials SET id = ? WHERE id = ?').run(to, from);
  }

  close(): void {
    this.#db.close();
  }

  /** Whether the secret can be used, or the code of the error that prevents it. */
  use(id = this.id): Promise<string> {
    const endpoints = createLlmEndpoints({ store: this.installation.store, vault: this.vault, outbound });
    return endpoints.open(id).then(
      (opened) => ('kind' in opened ? opened.kind : 'opened'),
      (error: { code?: string }) => String(error.code),
    );
  }
}

/** The text with one bit changed. */
function flipped(text: Buffer, bit: number): Buffer {
  const changed = Buffer.from(text);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
}

/** Checks the answers of the API while the row is damaged: never a secret, and the service keeps running. */
async function askEverything({ installation: { api }, id }: Damage): Promise<void> {
  const answers = [
    await api.get(path),
    await api.get(`${path}${id}/`),
    await api.patch(`${path}${id}/`, { detail: { organization_id: 'o' } }),
  ];
  for (const { status, text } of answers) {
    expect([200, 503]).toContain(status);
    expect(text).not.toContain(secret);
  }
  expect((await api.get('/health/')).status).toBe(200);
}

describe('one changed bit', () => {
  test.each(['sealed', 'masked', 'name', 'credential_type'])('in %s makes the secret unusable', async (column) => {
    const damage = await Damage.start();
    const whole = damage.read(column);
    const bits = whole.length * 8;
    // All bits of the short columns; every seventh bit of the long one, because 7 is coprime to the 8 bits of a byte.
    const step = bits > 1000 ? 7 : 1;
    const outcomes = new Map<string, number>();
    for (let bit = 0; bit < bits; bit += step) {
      damage.write(column, flipped(whole, bit));
      const outcome = await damage.use();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (bit % (step * 50) === 0) await askEverything(damage);
    }
    damage.write(column, whole);
    expect(await damage.use()).toBe('opened');
    damage.close();
    // A credential of another type is not usable here.
    expect([...outcomes.keys()]).toEqual(column === 'credential_type' ? ['missing'] : ['secret_unreadable']);
  });

  test.each(['created_at', 'updated_at'])('in %s damages nothing but that value', async (column) => {
    const damage = await Damage.start();
    const whole = damage.read(column);
    for (let bit = 0; bit < whole.length * 8; bit += 5) {
      damage.write(column, flipped(whole, bit));
      expect(await damage.use()).toBe('opened');
      if (bit % 25 === 0) await askEverything(damage);
    }
    damage.close();
  });

  test('in the id, as if the row was moved, makes the secret unusable', async () => {
    const damage = await Damage.start();
    for (let bit = 1; bit < 30; bit += 1) {
      const moved = damage.id ^ (1 << bit);
      damage.swapIds(damage.id, moved);
      expect(await damage.use(moved)).toBe('secret_unreadable');
      damage.swapIds(moved, damage.id);
    }
    expect(await damage.use()).toBe('opened');
    damage.close();
  });
});

test('a damaged secret is reported with a clear error, and the credential can be deleted', async () => {
  const damage = await Damage.start();
  damage.write('sealed', flipped(damage.read('sealed'), 100));
  const { api } = damage.installation;
  expect(await api.patch(`${path}${damage.id}/`, { name: 'Other' })).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('cannot be opened: it is damaged, or its key is missing') },
  });
  expect((await api.get(`${path}${damage.id}/`)).status).toBe(200);
  expect((await api.delete(`${path}${damage.id}/`)).status).toBe(204);
  damage.close();
});

test('a credential with damaged masks does not hide the others, and can be deleted', async () => {
  const damage = await Damage.start();
  const { api } = damage.installation;
  await api.post(path, { name: 'Other', credential_type: 'tool' });
  damage.write('masked', Buffer.from('{"api_key": '));
  expect(await api.get(path)).toMatchObject({ status: 200, body: { total: 2 } });
  expect(await api.get(`${path}${damage.id}/`)).toMatchObject({ status: 200, body: { detail: { api_key: '' } } });
  expect(await damage.use()).toBe('secret_unreadable');
  expect((await api.delete(`${path}${damage.id}/`)).status).toBe(204);
  damage.close();
});
