import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parameterNames, withoutParameter, withParameter, withQuery } from './url-query.ts';

const url = 'https://api.example/v1';

it('adds names and values before the fragment and after the existing query', () => {
  expect(withQuery(url, { a: 1, b: true }, 'query')).toBe(`${url}?a=1&b=true`);
  expect(withQuery(`${url}?page=1#top`, { a: 1 }, 'query')).toBe(`${url}?page=1&a=1#top`);
  expect(withQuery(`${url}?`, { a: 1 }, 'query')).toBe(`${url}?a=1`);
  expect(withQuery(url, {}, 'query')).toBe(url);
});

it('repeats the name for each item of a list and omits null', () => {
  expect(withQuery(url, { tag: ['a', null, 'b'], none: null, empty: '' }, 'query')).toBe(`${url}?tag=a&tag=b&empty=`);
});

it('encodes every character in names and values', () => {
  const texts = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })));
  fc.assert(
    fc.property(texts, (pairs) => {
      const query = Object.fromEntries(pairs);
      const read = new URLSearchParams(new URL(withQuery(url, query, 'query')).search);
      expect([...read]).toEqual(Object.entries(query));
    }),
  );
  expect(withQuery(url, { odd: '\ud800' }, 'query')).toBe(`${url}?odd=%EF%BF%BD`);
});

it('accepts an object whose values can be converted to text', () => {
  expect(() => withQuery(url, { a: {} }, 'query')).toThrow("'query.a' must be text, but it is an object.");
  expect(() => withQuery(url, ['a'], 'query')).toThrow("'query' must be an object, but it is a list.");
});

it('replaces all parameters of a name by one and leaves the rest of the URL unchanged', () => {
  const pairs = fc.array(fc.tuple(fc.constantFrom('a', 'b c', 'ä', 'page'), fc.string()));
  fc.assert(
    fc.property(pairs, fc.string(), (given, value) => {
      const address = `${url}?${new URLSearchParams(given)}#top`;
      const { search, hash } = new URL(withParameter(address, 'page', value));
      const others = given.filter(([name]) => name !== 'page');
      expect([...new URLSearchParams(search)]).toEqual([...others, ['page', value]]);
      expect(hash).toBe('#top');
    }),
  );
  expect(withParameter(`${url}?x=%zz&q='a b'`, 'p', '1')).toBe(`${url}?x=%zz&q='a b'&p=1`);
});

it('removes parameters by name and value', () => {
  const isKey = (name: string, value: string) => name === 'a key' && value === '**';
  expect(withoutParameter(`${url}?a+key=**&a%20key=%2A%2A&a%20key=1&b#c`, isKey)).toBe(`${url}?a%20key=1&b#c`);
  expect(withoutParameter(`${url}?a%20key=**`, isKey)).toBe(url);
  expect(withoutParameter(url, isKey)).toBe(url);
});

it('returns the names in a query as a server reads them', () => {
  expect(parameterNames('https://a.example/?k%65y=1&a+b&&%=2&key=?#x=1&y')).toEqual(['key', 'a b', '%', 'key']);
  expect(parameterNames('https://a.example/#?key=1')).toEqual([]);
});
