import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../json.ts';
import { compileConfig, resolveConfig } from './config.ts';

function urlOf(template: string, values: Readonly<Record<string, Json>>): Json {
  const scope = { lookup: (name: string) => values[name], names: () => Object.keys(values) };
  const compiled = compileConfig({ url: template }, { urls: ['url'] });
  return (resolveConfig(compiled, scope) as { url: Json }).url;
}

const wellFormed = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
const isDots = (text: string) => /^\.{0,2}$/.test(text);

describe('a value in a URL template', () => {
  test('is one segment of the path or one parameter, whatever characters it contains', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, wellFormed, (segment, parameter, fragment) => {
        fc.pre(!isDots(segment));
        const template = 'https://api.example/orders/{{ a }}/items?q={{ b }}&page=2#{{ c }}';
        const url = new URL(String(urlOf(template, { a: segment, b: parameter, c: fragment })));
        expect(url.origin).toBe('https://api.example');
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'orders', segment, 'items']);
        expect([...url.searchParams]).toEqual([
          ['q', parameter],
          ['page', '2'],
        ]);
        expect(decodeURIComponent(url.hash)).toBe(fragment === '' ? '' : `#${fragment}`);
      }),
    );
  });

  test('never leads to another path as a segment of dots', () => {
    const dots = fc.constantFrom('.', '..');
    const templates = [
      '/{{ a }}',
      '/x/{{ a }}/y',
      '/{{ a }}?q=1',
      '/.{{ a }}',
      '/%2e{{ a }}',
      '/{{ a }}{{ a }}',
      '\\{{ a }}',
    ];
    const encoded = templates.map((path) => path.replaceAll('{{ a }}', '{{ a | urlencode }}'));
    fc.assert(
      fc.property(fc.constantFrom(...templates, ...encoded), dots, (path, a) => {
        expect(() => urlOf(`https://api.example${path}`, { a })).toThrow("must not be '.' or '..'");
      }),
    );
    expect(urlOf('https://api.example/v{{ a }}/{{ b }}.json?q={{ a }}', { a: '..', b: '.' })).toBe(
      'https://api.example/v../..json?q=..',
    );
  });

  test.each<[string, string, Readonly<Record<string, Json>>, string]>([
    [
      'a base address',
      '{{ base }}/orders/{{ id }}',
      { base: 'http://h:80/v1', id: 'a/b' },
      'http://h:80/v1/orders/a%2Fb',
    ],
    ['a host', 'https://{{ host }}/{{ id }}', { host: 'h.example:8443', id: 'a b' }, 'https://h.example:8443/a%20b'],
    ['a scheme', '{{ s }}://h/{{ id }}', { s: 'https', id: '?' }, 'https://h/%3F'],
    ['a base address before a query', '{{ base }}?q={{ q }}', { base: 'http://h/p', q: '&' }, 'http://h/p?q=%26'],
    ['a whole URL', ' {{ url }} ', { url: 'http://h/a b?c=d&e' }, 'http://h/a b?c=d&e'],
    ['text that is encoded already', 'http://h/{{ id | urlencode }}', { id: 'a/b' }, 'http://h/a%2Fb'],
    ['an encoded query', 'http://h/?{{ q | urlencode }}', { q: { a: 'b c', d: '&' } }, 'http://h/?a=b%20c&d=%26'],
    ['numbers and JSON', 'http://h/{{ n }}?f={{ o }}', { n: 7, o: { a: 1 } }, 'http://h/7?f=%7B%22a%22%3A1%7D'],
    ['the literal part of a template', 'http://h/ä b?c=d&{{ k }}=1', { k: 'e=f' }, 'http://h/ä b?c=d&e%3Df=1'],
  ])('is used as it is, or encoded once: %s', (_what, template, values, url) => {
    expect(urlOf(template, values)).toBe(url);
  });

  test('is not encoded in any other key of the config', () => {
    const scope = { lookup: () => 'a b', names: () => ['x'] };
    const compiled = compileConfig({ url: 'http://h/{{ x }}', body: 'http://h/{{ x }}' }, { urls: ['url'] });
    expect(resolveConfig(compiled, scope)).toEqual({ url: 'http://h/a%20b', body: 'http://h/a b' });
  });
});

describe('a URL template that is too large', () => {
  test.each([
    ['expressions', `https://api.example/${'{{ a }}'.repeat(101)}`, 'at most 100 expressions'],
    ['characters', `https://api.example/{{ a }}?${'x'.repeat(65_536)}`, 'at most 65536 characters'],
  ])('in %s is rejected', (_name, template, message) => {
    expect(() => urlOf(template, { a: 1 })).toThrow(message);
  });

  test('is not one with 100 expressions', () => {
    expect(urlOf(`https://api.example/${'{{ a }}'.repeat(100)}`, { a: 1 })).toContain('1111');
  });
});
