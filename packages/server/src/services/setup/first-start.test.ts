import { expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { start } from '../../store/testsuite/world.ts';
import { exampleSlug } from './example.ts';
import { firstStart } from './first-start.ts';

/** A store whose process dies after the first `calls` calls. */
function dyingAfter(calls: number, store: Store): Store {
  let left = calls;
  const dying = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return dying(value);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (left === 0) throw new Error('the process is gone');
          left -= 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  return dying(store);
}

test('the next start completes a first start that was interrupted at any point, including the example', async () => {
  for (let calls = 0, isWhole = false; !isWhole; calls += 1) {
    const store = openSqliteStore({ path: ':memory:' });
    const params = { givenKey: null, keepKey: () => undefined, at: start };
    isWhole = await firstStart({ ...params, store: dyingAfter(calls, store) }).then(
      () => true,
      () => false,
    );
    const again = await firstStart({ ...params, store });
    expect(again === null).toBe(isWhole);
    const example = await store.workflows.bySlug(exampleSlug);
    expect(example).toMatchObject({ nodeCount: 6, edgeCount: 6 });
    await store.close();
    expect(calls).toBeLessThan(50);
  }
});
