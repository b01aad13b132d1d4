import { expect, it } from 'vitest';
import { lockDraft, type TakeLock } from './draft-lock.ts';

/** The drafts of a browser, and the locks that its tabs hold. */
function browser(...drafts: string[]) {
  const held = new Set<string>();
  let count = 0;
  const take: TakeLock = async (name) => {
    if (held.has(name)) return null;
    held.add(name);
    return () => held.delete(name);
  };
  return {
    open: () => lockDraft({ names: () => drafts }, 1, { take, newId: () => `new-${++count}`, others: ['fields.1.'] }),
  };
}

it('opens the draft that a closed tab has left', async () => {
  const { open } = browser('other', 'draft.1.left', 'draft.2.elsewhere');
  expect((await open()).tab).toBe('left');
});

it('opens the draft of a closed tab of which only other things are left', async () => {
  const { open } = browser('fields.1.left', 'fields.2.elsewhere');
  expect((await open()).tab).toBe('left');
});

it('never opens the draft of another tab, until that tab is closed', async () => {
  const { open } = browser('draft.1.left');
  const first = await open();
  expect([first.tab, (await open()).tab]).toEqual(['left', 'new-1']);
  first.release();
  expect((await open()).tab).toBe('left');
});
