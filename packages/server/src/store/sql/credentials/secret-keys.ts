import type { SecretKeyRecord, SecretKeyStore } from '../../credentials.ts';
import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';

interface SecretKeyRow {
  readonly id: string;
  readonly check_value: string;
  readonly is_current: Bit;
}

/** The SQLite store of the keys that seal secrets. */
export function secretKeyStore(connection: Connection, writer: Writer): SecretKeyStore {
  const list = connection.prepare<[], SecretKeyRow>('SELECT id, check_value, is_current FROM secret_keys ORDER BY id');
  const stepBack = connection.prepare<[]>('UPDATE secret_keys SET is_current = 0 WHERE is_current = 1');
  const adopt = connection.prepare<[string, string]>(
    `INSERT INTO secret_keys (id, check_value, is_current) VALUES (?, ?, 1)
     ON CONFLICT (id) DO UPDATE SET is_current = 1`,
  );
  // A seal begins with its key's id. There are a few dozen secrets, and rotations are rare, so a scan is fast enough.
  const retire = connection.prepare<[]>(
    `DELETE FROM secret_keys WHERE is_current = 0
     AND id NOT IN (SELECT substr(sealed, 1, instr(sealed, '.') - 1) FROM credentials)
     AND id NOT IN (SELECT substr(sealed, 1, instr(sealed, '.') - 1) FROM variables WHERE sealed IS NOT NULL)`,
  );
  const secrets = connection.prepare<[], { found: Bit }>(
    `SELECT EXISTS (SELECT 1 FROM credentials) OR EXISTS (SELECT 1 FROM variables WHERE sealed IS NOT NULL) AS found`,
  );
  const all = (): readonly SecretKeyRecord[] => list.all().map(toRecord);
  return {
    list: () => connection.read(all),
    adopt: ({ id, checkValue }) =>
      writer.submit(() => {
        stepBack.run();
        adopt.run(id, checkValue);
      }),
    hasSecrets: () => connection.read(() => secrets.get()?.found === 1),
    retire: () =>
      writer.submit(() => {
        retire.run();
        return all();
      }),
  };
}

function toRecord(row: SecretKeyRow): SecretKeyRecord {
  return { id: row.id, checkValue: row.check_value, isCurrent: row.is_current === 1 };
}
