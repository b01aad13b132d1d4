import { beforeEach, expect, test } from 'vitest';
import { loadSyntaxCheck } from './rejection.ts';
import { TypingPage } from './typing.testkit.ts';
import { Wishes } from './wishes.testkit.ts';

let page: TypingPage;
let wishes: Wishes;
beforeEach(async () => {
  await loadSyntaxCheck();
  page = new TypingPage();
  await page.open();
  wishes = new Wishes(page);
});

const check = (): void => wishes.check(page.seen(), page.save === 'saved' && !page.isWaiting);

test('the check of typing finds a text that is not stored and not marked any more', () => {
  page.handle('status', { kind: 'typed', text: 'many' });
  wishes.note('status');
  page.blur('status');
  check();
  page.handle('status', { kind: 'reset' });
  expect(check).toThrow('the header names a status');
});

test('the check of typing finds a value that was chosen and is not stored', async () => {
  page.handle('tags', { kind: 'chosen', value: ['a'] });
  wishes.note('tags');
  await page.pass(2000);
  check();
  page.handle('tags', { kind: 'chosen', value: undefined });
  await page.pass(2000);
  expect(check).toThrow('a tags as it was typed or chosen');
  page.select('b');
  expect(check).toThrow('a tags is stored as it was typed or chosen');
});

test('the check of typing accepts a value in the card of a conflict, until the card is gone', async () => {
  page.handle('url', { kind: 'typed', text: 'mine' });
  wishes.note('url');
  page.other('a', 'url', 'theirs');
  await page.pass(2000);
  expect(page.conflicts).toHaveLength(1);
  check();
  page.decide(page.conflicts[0]?.id ?? '', false);
  expect(check).toThrow('a url as it was typed or chosen');
});
