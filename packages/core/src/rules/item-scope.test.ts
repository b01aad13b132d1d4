import { describe, expect, it } from 'vitest';
import { ItemScope, valueIn } from './item-scope.ts';

describe('a path inside an item', () => {
  it('starts at the keys of the item, or at item for the whole item', () => {
    expect(valueIn('address.city')({ address: { city: 'Porto' } })).toBe('Porto');
    expect(valueIn('item')([1])).toEqual([1]);
    expect(valueIn('item.item')({ item: 'own key' })).toBe('own key');
  });

  it('fails if the item has no such path, or only inherits it', () => {
    for (const path of ['city', 'constructor', '__proto__', 'trigger']) {
      expect(() => valueIn(path)({ address: 1 })).toThrow(expect.objectContaining({ code: 'expression' }));
    }
    expect(() => valueIn('length')('text')).toThrow(expect.objectContaining({ code: 'expression' }));
  });

  it('is parsed before the first item is read', () => {
    expect(() => valueIn('a..b')).toThrow(expect.objectContaining({ code: 'expression' }));
  });

  it('has a scope that lists its names', () => {
    expect(new ItemScope({ a: 1 }).names()).toEqual(['item', 'a']);
    expect(new ItemScope('text').names()).toEqual(['item']);
  });
});
