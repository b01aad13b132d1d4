import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { linkIn } from './link-header.ts';

describe('the next link of a header', () => {
  it.each([
    ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
    ['<?page=2>;rel=next', '?page=2'],
    ['</1>; rel="first", </2>; rel="next", </9>; rel="last"', '/2'],
    ['</a,b;c>; title="a, <b>; rel=\\"next\\"" ; REL="prev NEXT"', '/a,b;c'],
    ['</1> ; crossorigin ; rel = "next"', '/1'],
    ['</1>; rel=prev; rel=next, </2>; rel=next', '/2'],
    ['< /1 >; rel=next', '/1'],
  ])('is found in %s', (header, address) => {
    expect(linkIn(header, 'next')).toBe(address);
  });

  it.each([
    '',
    'next',
    '</1>',
    '</1>; rel="nextish"',
    '</1>; rel="prev',
    '</1; rel=next',
    '</1>, rel=next',
  ])('is not in %j', (header) => {
    expect(linkIn(header, 'next')).toBeNull();
  });

  it.each(['<>;', '<>; "', '<>; a="\\', '<> ', '<', '<>;='])('is searched in linear time: many of %j', (piece) => {
    // Milliseconds; a search in quadratic time takes hours.
    const took = cpuMs(() => {
      expect(linkIn(piece.repeat(200_000), 'next')).toBeNull();
      expect(linkIn(`<>;${piece.slice(2).repeat(200_000)}`, 'next')).toBeNull();
    });
    expect(took).toBeLessThan(20_000);
  });
});
