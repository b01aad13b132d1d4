import { expect, it } from 'vitest';
import { BrowserStorage } from './browser-storage.ts';

/** A storage of a browser, in memory. */
class MemoryStorage implements Storage {
  readonly texts = new Map<string, string>();
  get length() {
    return this.texts.size;
  }
  key = (index: number) => [...this.texts.keys()][index] ?? null;
  getItem = (key: string) => this.texts.get(key) ?? null;
  setItem = (key: string, text: string) => void this.texts.set(key, text);
  removeItem = (key: string) => void this.texts.delete(key);
  clear = () => this.texts.clear();
}

/** A browser, and the pages in its tabs. */
function browser() {
  const lasting = new MemoryStorage();
  return {
    lasting,
    page: () => {
      const tab = new MemoryStorage();
      const storage = new BrowserStorage(() => ({ lasting, tab }));
      const ends: string[] = [];
      storage.onEnd(() => ends.push('end'));
      return { storage, tab, ends };
    },
  };
}

it('stores the texts of a user for the next page', () => {
  const { page } = browser();
  const first = page().storage;
  first.open(1);
  first.userTexts().setItem('payloads.1', '{}');
  const second = page().storage;
  second.open(1);
  expect(second.userTexts().getItem('payloads.1')).toBe('{}');
  expect(second.userTexts().names()).toEqual(['payloads.1']);
});

it('removes all texts at a logout, and keeps the settings of the device', () => {
  const { lasting, page } = browser();
  const { storage, tab, ends } = page();
  storage.open(1);
  storage.setSetting('theme', 'dark');
  storage.userTexts().setItem('chat.one', 'A message');
  storage.tabTexts().setItem('mark', '1');
  storage.close();
  expect([...lasting.texts]).toEqual([['millrace.theme', 'dark']]);
  expect(tab.texts.size).toBe(0);
  expect(ends).toEqual(['end']);
});

it('stores nothing in a tab whose user has logged out in another tab', () => {
  const { lasting, page } = browser();
  const [left, right] = [page(), page()];
  left.storage.open(1);
  right.storage.open(1);
  const draft = right.storage.userTexts();
  right.storage.tabTexts().setItem('mark', '1');
  left.storage.close();
  draft.setItem('draft.1.tab', 'Unsaved');
  expect(draft.getItem('draft.1.tab')).toBeNull();
  expect(lasting.texts.size).toBe(0);
  right.storage.check();
  expect(right.tab.texts.size).toBe(0);
  expect(right.ends).toEqual(['end']);
});

it('removes the texts of the user before when another user logs in after an expired session', () => {
  const { lasting, page } = browser();
  const [old, next] = [page(), page()];
  old.storage.open(1);
  const draft = old.storage.userTexts();
  draft.setItem('draft.1.tab', 'Unsaved');
  next.storage.open(2);
  expect([...lasting.texts]).toEqual([['millrace.owner', '2']]);
  draft.setItem('draft.1.tab', 'Unsaved');
  expect([...lasting.texts]).toEqual([['millrace.owner', '2']]);
});

it('keeps the texts when the same user logs in after an expired session', () => {
  const { page } = browser();
  const { storage, ends } = page();
  storage.open(1);
  storage.userTexts().setItem('draft.1.tab', 'Unsaved');
  storage.open(1);
  expect(storage.userTexts().getItem('draft.1.tab')).toBe('Unsaved');
  expect(ends).toEqual([]);
});

it('ends a page whose browser has another user', () => {
  const { page } = browser();
  const { storage, ends } = page();
  storage.open(1);
  const texts = storage.userTexts();
  storage.open(2);
  texts.setItem('draft.1.tab', 'Of the first user');
  expect(ends).toEqual(['end']);
  expect(storage.userTexts().names()).toEqual([]);
});

it('keeps the texts of the user who has logged in when the page of the user before ends', () => {
  const { page } = browser();
  const [old, next] = [page(), page()];
  old.storage.open(1);
  next.storage.close();
  next.storage.open(2);
  next.storage.userTexts().setItem('chat.one', 'Of the second user');
  old.storage.check();
  expect(old.ends).toEqual(['end']);
  expect(next.storage.userTexts().getItem('chat.one')).toBe('Of the second user');
});

it('removes texts that earlier versions stored without a user', () => {
  const { lasting, page } = browser();
  lasting.setItem('millrace.payloads.1', '{}');
  lasting.setItem('other', 'Not of this app');
  page().storage.open(1);
  expect([...lasting.texts.keys()].toSorted()).toEqual(['millrace.owner', 'other']);
});
