import { describe, expect, test } from 'vitest';
import { changedFields, contestedFields, withoutFields } from './contested-fields.ts';

const before = { name: 'Old', tags: ['a'], detail: { url: 'http://a', key: 'abcd****wxyz' } };

describe('an edit of a record', () => {
  test('sends only the fields that differ', () => {
    expect(changedFields({ name: 'Old', tags: ['a', 'b'] }, before)).toEqual({ tags: ['a', 'b'] });
    expect(changedFields({ concurrency: null }, before)).toEqual({});
  });

  test('is contested where somebody else has stored another value since', () => {
    const now = { ...before, name: 'Theirs', tags: ['c'] };
    expect(contestedFields({ name: 'Mine' }, { before, now })).toEqual([
      { path: 'name', mine: 'Mine', theirs: 'Theirs' },
    ]);
    expect(contestedFields({ name: 'Theirs' }, { before, now })).toEqual([]);
    expect(contestedFields({ detail: { url: 'http://b' } }, { before, now })).toEqual([]);
  });

  test('is contested by the key where a field is an object', () => {
    const now = { ...before, detail: { ...before.detail, url: 'http://theirs' } };
    expect(contestedFields({ detail: { url: 'http://b', key: 'new' } }, { before, now })).toEqual([
      { path: 'detail.url', mine: 'http://b', theirs: 'http://theirs' },
    ]);
    expect(contestedFields({ detail: { key: 'new' } }, { before, now })).toEqual([]);
  });

  test('is sent without the fields that somebody else may keep', () => {
    const changes = { name: 'Mine', detail: { url: 'http://b', key: 'new' } };
    expect(withoutFields(changes, ['detail.url'])).toEqual({ name: 'Mine', detail: { key: 'new' } });
    expect(withoutFields(changes, ['name', 'detail.url', 'detail.key'])).toEqual({});
  });
});
