import { expect, test } from 'vitest';
import type { Claim, NewExecution, Places } from '../executions.ts';
import type { Store } from '../store.ts';
import { claim, listen, newExecution, newWorkflow } from './world.ts';

/** Tests of the places of a process, which owners share. */
export function placeSentences(store: () => Store): void {
  const accept = (workflow: Parameters<typeof newExecution>[0], fields: Partial<NewExecution> = {}) =>
    store().executions.accept(newExecution(workflow, fields));
  const claimed = async (fields: Partial<Claim> = {}) => (await claim(store(), fields)).map(({ id }) => id);
  /** Claims do not wait for the disk, and their effects follow. */
  const committed = () => store().executions.release({ owner: 'nobody' });

  test('a run whose owner has no place left waits, and those of other owners are claimed', async () => {
    const [one, other] = [await newWorkflow(store()), await newWorkflow(store())];
    const waiting = [];
    for (let count = 0; count < 3; count += 1) waiting.push((await accept(one)).id);
    const { id } = await accept(other);
    const places = placesOf({ [one.ownerId]: 1 });
    expect(await claimed({ places })).toEqual([waiting[0], id]);
    const later = await accept(other);
    expect(await claimed({ places, limit: 1 })).toEqual([later.id]);
    expect(await claimed({ places })).toEqual([]);
    places.left.set(one.ownerId, 1);
    expect(await claimed({ places })).toEqual([waiting[1]]);
    expect(await claimed()).toEqual([waiting[2]]);
  });

  test('after runs were kept from claims, one follows as soon as their owner may have more', async () => {
    const workflow = await newWorkflow(store());
    const waiting = [(await accept(workflow)).id, (await accept(workflow)).id];
    const places = placesOf({ [workflow.ownerId]: 0 });
    const notified = listen(store());
    expect(await claimed({ places })).toEqual([]);
    await committed();
    notified.length = 0;
    expect(await claimed({ places })).toEqual([]);
    await committed();
    expect(notified).toEqual([]);
    places.left.set(workflow.ownerId, 5);
    expect(await claimed({ places, limit: 1 })).toEqual([waiting[0]]);
    await committed();
    expect(notified).toEqual(['pending']);
  });

  test('a large run whose owner has no memory left waits, and small ones pass it', async () => {
    const workflow = await newWorkflow(store());
    const trigger = { payload: 'x'.repeat(300_000), text: '' };
    const large = [];
    for (let count = 0; count < 140; count += 1) large.push((await accept(workflow, { trigger })).id);
    const small = await accept(workflow);
    const places = placesOf({}, 300_000);
    const found = [];
    for (let claims = 0; claims < 20; claims += 1) found.push(...(await claimed({ places })));
    expect(found).toEqual([small.id]);
    expect((await claim(store(), { limit: 1 })).map(({ id, size }) => [id, size])).toEqual([[large[0], 300_002]]);
  });
}

/** Places for so many runs of some owners, and as many as they like of others; large runs only below a size. */
function placesOf(owners: Readonly<Record<number, number>>, belowSize = Number.POSITIVE_INFINITY) {
  const left = new Map(Object.entries(owners).map(([owner, count]) => [Number(owner), count]));
  const placesFor = (owner: number) => left.get(owner) ?? Number.POSITIVE_INFINITY;
  const places: Places = {
    placesFor,
    lackedBy(owner, size) {
      if (placesFor(owner) <= 0) return 'place';
      return size < belowSize ? null : 'memory';
    },
    take: ({ ownerId }) => void left.set(ownerId, placesFor(ownerId) - 1),
  };
  return { ...places, left };
}
