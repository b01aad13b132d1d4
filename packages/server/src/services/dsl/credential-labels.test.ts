import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { credentialIds, credentialLabels } from './credential-labels.ts';

async function storeWith(names: readonly string[]): Promise<{ store: Store; ids: readonly number[] }> {
  const store = openSqliteStore({ path: ':memory:' });
  await store.secretKeys.adopt({ id: 'k1', checkValue: 'k1.check' });
  const ids: number[] = [];
  for (const name of names) {
    const fields = { name, credentialType: 'tool', masked: '{}', most: 1000, at: 0 } as const;
    const stored = await store.credentials.insert({ ...fields, seal: () => 'k1.sealed' });
    if (typeof stored === 'string') throw new Error(stored);
    ids.push(stored.id);
  }
  return { store, ids };
}

/** Names that collide with each other and with the labels of others. */
const name = fc.constantFrom('a', 'b', 'a (#1)', 'a (#2)', 'a (#1) (#3)', 'b (#9)', 'c');

describe('the names of credentials in a text', () => {
  it('a credential is found by the label that an export gives it, whatever the names of the others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 8 }), async (names) => {
        const { store, ids } = await storeWith(names);
        const labels = await credentialLabels(store, ids);
        expect([...labels.keys()]).toEqual(ids);
        for (const [id, label] of labels) {
          const found = (await credentialIds(store, [label])).get(label);
          // A credential whose name equals the label takes precedence.
          const isTaken = label !== names[id - 1] && names.some((other) => other === label);
          if (!isTaken) expect(found).toBe(id);
        }
        await store.close();
      }),
    );
  });

  it('a shared name is ambiguous, and an unknown one is absent while the others can be suggested', async () => {
    const { store } = await storeWith(['a', 'a', 'b']);
    expect(await credentialIds(store, ['a', 'b'])).toEqual(
      new Map([
        ['a', null],
        ['a (#1)', 1],
        ['a (#2)', 2],
        ['b', 3],
      ]),
    );
    const ids = await credentialIds(store, ['bb']);
    expect([ids.has('bb'), ids.has('b')]).toEqual([false, true]);
    expect(await credentialIds(store, ['a (#3)'])).toEqual(await credentialIds(store, ['none']));
    await store.close();
  });
});
