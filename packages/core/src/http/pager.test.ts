import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runThrough } from '../base/meter.ts';
import type { OutboundRequest, OutboundResponse } from '../component/component.ts';
import type { Json } from '../json.ts';
import { Pager } from './pager.ts';
import { type Pagination, pagination, paginationIssues } from './pagination.ts';

const url = 'https://api.example/list';
const get: OutboundRequest = { method: 'GET', url, headers: {}, body: null };

/** Enough URL resolution for these tests: absolute URLs, and those that begin with `?` or `/`. */
function resolveUrl(reference: string, base: string) {
  const [origin = ''] = /^https?:\/\/[^/?#]+/.exec(base) ?? [];
  if (reference.startsWith('?')) return { href: base.replace(/\?.*/, '') + reference, origin };
  if (reference.startsWith('/')) return { href: origin + reference, origin };
  const [own] = /^https?:\/\/[^/?#]+/.exec(reference) ?? [];
  return own === undefined ? null : { href: reference, origin: own };
}

function answer(body: Json, headers: Record<string, string> = {}): OutboundResponse {
  const text = body === null ? '' : JSON.stringify(body);
  const reading = { size: text.length, text: () => text, base64: () => '' };
  return { url, isFromHome: true, status: 200, headers, body: reading };
}

type Server = (request: OutboundRequest) => OutboundResponse;

/** Reads all pages and returns the requests and the items. */
function readAll(settings: Pagination, server: Server, request = get) {
  const pager = new Pager({ pagination: pagination.parse(settings), request, resolveUrl });
  const asked: OutboundRequest[] = [];
  let next: OutboundRequest | null = pager.first;
  while (next !== null) {
    asked.push(next);
    next = runThrough(pager.take(server(next)));
  }
  return {
    items: pager.items,
    pages: pager.pages,
    isComplete: pager.isComplete,
    asked,
    urls: asked.map((at) => at.url),
  };
}

function parameterOf({ url, body, method }: OutboundRequest, name: string): string | undefined {
  if (method === 'POST') {
    const value = (JSON.parse(typeof body === 'string' ? body : '{}') as Record<string, Json>)[name];
    return value === undefined ? undefined : String(value);
  }
  return new Map((url.split('?')[1] ?? '').split('&').map((pair) => pair.split('=') as [string, string])).get(name);
}

/** A random list, split into pages at random positions. */
const pagesOf = fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 5 }), { maxLength: 20 });

/** Serves the pages of such a list with each pagination method. */
const servers: readonly (readonly [string, Pagination, (pages: readonly Json[][]) => Server])[] = [
  [
    'the Link header',
    { by: 'link' },
    (pages) => (request) => {
      const at = Number(parameterOf(request, 'p') ?? 0);
      const link = `<?p=${at - 1}>; rel="prev"${at + 1 < pages.length ? `, </list?p=${at + 1}>; rel="next"` : ''}`;
      return answer(pages[at] ?? [], { link });
    },
  ],
  [
    'an address in the answer',
    { by: 'next_url', next: 'links.next', items: 'data.items' },
    (pages) => (request) => {
      const at = Number(parameterOf(request, 'p') ?? 0);
      const next = at + 1 < pages.length ? `${url}?p=${at + 1}` : null;
      return answer({ links: { next }, data: { items: pages[at] ?? [] } });
    },
  ],
  [
    'a cursor',
    { by: 'cursor', next: 'next', parameter: 'after', items: 'items' },
    (pages) => (request) => {
      const at = Number(parameterOf(request, 'after') ?? 0);
      return answer({ items: pages[at] ?? [], ...(at + 1 < pages.length && { next: at + 1 }) });
    },
  ],
  [
    'page numbers',
    { by: 'page', parameter: 'page' },
    (pages) => (request) => answer(pages[Number(parameterOf(request, 'page')) - 1] ?? []),
  ],
  [
    'page numbers in the body, from 0',
    { by: 'page', parameter: 'page', first: 0, in: 'body' },
    (pages) => (request) => answer(pages[Number(parameterOf(request, 'page'))] ?? []),
  ],
  [
    'an offset, whatever the server gives at once',
    { by: 'offset', parameter: 'skip', items: 'item.rows' },
    (pages) => (request) => {
      const starts = pages.map((_page, index) => pages.slice(0, index).flat().length);
      return answer({ rows: pages[starts.indexOf(Number(parameterOf(request, 'skip')))] ?? [] });
    },
  ],
];

describe('pages', () => {
  it.each(servers)('by %s return the complete list for any split', (_name, settings, serve) => {
    fc.assert(
      fc.property(pagesOf, (pages) => {
        const request = 'in' in settings ? { ...get, method: 'POST' } : get;
        const { items, isComplete, pages: count } = readAll(settings, serve(pages), request);
        expect(items).toEqual(pages.flat());
        expect(isComplete).toBe(true);
        expect(count).toBeLessThanOrEqual(pages.length + 1);
      }),
    );
  });

  it.each(['page', 'offset'] as const)('by %s of a fixed size end at a page that is not full', (by) => {
    const whole = fc.array(fc.integer(), { maxLength: 40 });
    fc.assert(
      fc.property(whole, fc.integer({ min: 1, max: 7 }), (list, size) => {
        const { items, pages } = readAll({ by, parameter: 'at', page_size: size, max_pages: 1000 }, (request) => {
          const at = Number(parameterOf(request, 'at'));
          const start = by === 'page' ? (at - 1) * size : at;
          return answer(list.slice(start, start + size));
        });
        expect(items).toEqual(list);
        expect(pages).toBe(Math.floor(list.length / size) + 1);
      }),
    );
  });

  it('always end, whatever the server returns', () => {
    const item = fc.constantFrom<Json>(null, 0, '', false, '?p=1', '/list', 'x', url, `${url}?p=2`, 7);
    const settings = fc.constantFrom<Pagination>(
      { by: 'link', items: 'items' },
      { by: 'next_url', next: 'next', items: 'items' },
      { by: 'cursor', next: 'next', parameter: 'p', items: 'items' },
    );
    fc.assert(
      fc.property(settings, fc.array(item, { minLength: 1, maxLength: 4 }), fc.boolean(), (by, answers, isEmpty) => {
        let calls = 0;
        try {
          readAll(by, () => {
            const next = answers[calls % answers.length] ?? null;
            calls += 1;
            return answer({ next, items: isEmpty ? [] : [1] }, { link: `<${next}>; rel=next` });
          });
        } catch (error) {
          expect(error).toMatchObject({ code: 'input', retryable: false });
        }
        // Each of the four may be requested once.
        expect(calls).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe('a page', () => {
  const cursor: Pagination = { by: 'cursor', next: 'next', parameter: 'c', items: 'items' };

  it('is requested with its parameter replacing all parameters of that name', () => {
    const request = { ...get, url: `${url}?a=%20&c=0&c=1#top` };
    const pages = [{ items: [1], next: 'a&b=c' }, { items: [2] }];
    const { urls } = readAll(cursor, () => answer(pages.shift() ?? null), request);
    expect(urls).toEqual([request.url, `${url}?a=%20&c=a%26b%3Dc#top`]);
    expect(readAll({ by: 'offset', parameter: 'c', first: 10 }, () => answer([]), request).urls).toEqual([
      `${url}?a=%20&c=10#top`,
    ]);
  });

  it("adds the parameter to the request's body with its own type", () => {
    const request = { ...get, method: 'POST', body: '{"query":"x","c":null}' };
    const pages = [{ items: [1], next: 5 }, { items: [2] }];
    const { asked } = readAll({ ...cursor, in: 'body' }, () => answer(pages.shift() ?? null), request);
    expect(asked.map(({ body }) => body)).toEqual([request.body, '{"query":"x","c":5}']);
    const [bare] = readAll({ by: 'page', parameter: 'p', in: 'body' }, () => answer([]), {
      ...request,
      body: null,
    }).asked;
    expect(bare).toMatchObject({ body: '{"p":1}', headers: { 'content-type': 'application/json' } });
    for (const body of ['[1]', 'text', [{ base64: 'AAAA' }]]) {
      const wrong = { ...request, body };
      expect(() => readAll({ by: 'page', parameter: 'p', in: 'body' }, () => answer([]), wrong)).toThrow("'body' must");
    }
  });

  it('has its own idempotency key if the request has one', () => {
    const request = { ...get, method: 'POST', headers: { 'idempotency-key': 'k', a: 'b' } };
    const { asked } = readAll(
      { by: 'page', parameter: 'p' },
      ({ url }) => answer(url.endsWith('3') ? [] : [1]),
      request,
    );
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k-2', 'k-3']);
    expect(asked[2]?.headers.a).toBe('b');
  });

  it('without a body is empty, unless a path to the list is configured', () => {
    expect(readAll({ by: 'page', parameter: 'p' }, () => answer(null)).items).toEqual([]);
    expect(() => readAll({ by: 'page', parameter: 'p', items: 'data' }, () => answer(null))).toThrow("'data'");
  });

  it.each<[Pagination, Json, string]>([
    [{ by: 'link' }, { data: [] }, "Page 1 has no list at the response itself, but an object: set 'pagination.items'"],
    [{ by: 'link', items: 'data' }, { data: 'x' }, 'Page 1 has no list at data, but text'],
    [{ by: 'link', items: 'dta' }, { data: [] }, "There is no 'dta' here. Did you mean 'data'?"],
    [cursor, { items: [], next: { a: 1 } }, "'pagination.next' leads to an object, not to text or a number."],
    [cursor, { items: [], next: true }, "'pagination.next' leads to"],
    [cursor, { items: [], next: 0.1 }, "The number at 'next' is not whole or too large to be sent exactly"],
  ])('that does not match %j fails', (settings, body, words) => {
    expect(() => readAll(settings, () => answer(body))).toThrow(words);
  });

  it.each([
    'https://other.example/list',
    'http://api.example/list',
    'https://api.example:8443/',
  ])('at another origin is not requested: %s', (next) => {
    const settings: Pagination = { by: 'next_url', next: 'next', items: 'items' };
    expect(() => readAll(settings, () => answer({ items: [1], next }))).toThrow(
      'Page 1 leads to another origin than https://api.example, where nothing is sent.',
    );
  });

  it('at a URL that is too long for servers is not requested', () => {
    const settings: Pagination = { by: 'next_url', next: 'next', items: 'items' };
    const next = `?p=${'x'.repeat(16 * 1024)}`;
    expect(() => readAll(settings, () => answer({ items: [1], next }))).toThrow(
      'Page 1 gives a next address of more than 16384 characters.',
    );
  });

  it('whose URL leads back to the first page is an error', () => {
    const settings: Pagination = { by: 'next_url', next: 'next', items: 'items' };
    const nexts = ['?p=2', '/list'];
    expect(() => readAll(settings, () => answer({ items: [1], next: nexts.shift() ?? null }))).toThrow(
      'Page 2 leads back to page 1: the list would never end.',
    );
  });

  it('that leads back is an error, unless it is empty', () => {
    const loop = (items: Json) => () => answer({ items, next: 'same' });
    expect(() => readAll(cursor, loop([1]))).toThrow('Page 2 leads back to page 2: the list would never end.');
    expect(readAll(cursor, loop([]))).toMatchObject({ pages: 2, isComplete: true });
  });
});

describe('a page of a form', () => {
  it('adds the parameter to a form as another field', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const request = { ...get, method: 'POST', headers, body: 'q=a%26b&page=9' };
    const pages = [[1], []];
    const { asked } = readAll(
      { by: 'page', parameter: 'page', in: 'body' },
      () => answer(pages.shift() ?? []),
      request,
    );
    expect(asked.map(({ body }) => body)).toEqual(['q=a%26b&page=1', 'q=a%26b&page=2']);
  });
});

describe('a next URL', () => {
  const settings: Pagination = { by: 'next_url', next: 'next', items: 'items' };

  it('is resolved against the URL of the response', () => {
    const moved = 'https://api.example/v2/items/';
    const server: Server = (request) =>
      request.url === url ? { ...answer({ items: [1], next: '?p=2' }), url: moved } : answer({ items: [2] });
    const { asked } = readAll(settings, server);
    expect(asked).toEqual([get, { ...get, url: `${moved}?p=2`, isServerGiven: true }]);
  });

  it.each<Pagination>([
    settings,
    { by: 'link', items: 'items' },
  ])('in a response from another origin is ignored: %j', (by) => {
    const foreign = (next: string | null): OutboundResponse => ({
      ...answer({ items: [1], next }, next === null ? {} : { link: `<${next}>; rel=next` }),
      isFromHome: false,
    });
    for (const next of [url, '?p=2', 'https://other.example/']) {
      expect(() => readAll(by, () => foreign(next))).toThrow(
        'Page 1 came by a redirect from another origin than https://api.example: its next address is not followed.',
      );
    }
    expect(readAll(by, () => foreign(null))).toMatchObject({ items: [1], isComplete: true });
  });
});

describe('reading ends', () => {
  const endless: Server = () => answer([1]);
  const usual: Pagination = { by: 'page', parameter: 'p' };

  it('after the configured number of pages, and after 100 with an error by default', () => {
    const received: Pagination = { by: 'page', parameter: 'p', max_pages: 3 };
    expect(readAll(received, endless)).toMatchObject({ items: [1, 1, 1], pages: 3, isComplete: false });
    expect(() => readAll(usual, endless)).toThrow(
      "There are more than 100 pages: set 'pagination.max_pages', or does the server not know 'p'?",
    );
    expect(() => readAll({ ...received, max_pages: '{{ 0 }}' }, endless)).toThrow(
      "'pagination.max_pages' must be a whole",
    );
  });

  it('successfully if there are exactly 100 pages and the next one is empty', () => {
    const hundred: Server = (request) => answer(Number(parameterOf(request, 'p')) <= 100 ? [1] : []);
    expect(readAll(usual, hundred)).toMatchObject({ items: Array(100).fill(1), pages: 101, isComplete: true });
    const led: Pagination = { by: 'cursor', next: 'next', parameter: 'p', items: 'items' };
    const cursors = (last: number): Server => {
      return (request) => {
        const page = Number(parameterOf(request, 'p') ?? 1);
        return answer({ items: page <= 100 ? [1] : [], next: page < last ? page + 1 : null });
      };
    };
    expect(readAll(led, cursors(100))).toMatchObject({ pages: 100, isComplete: true });
    expect(readAll(led, cursors(101))).toMatchObject({ pages: 101, isComplete: true });
    expect(() => readAll(led, cursors(102))).toThrow('There are more than 100 pages');
    expect(readAll({ ...led, max_pages: 100 }, cursors(101))).toMatchObject({ pages: 100, isComplete: false });
  });

  it('if the total size of the pages exceeds the limit of one response', () => {
    const large: Server = () => ({ ...answer([1]), body: { ...answer([1]).body, size: 4 * 1024 * 1024 } });
    expect(() => readAll({ by: 'page', parameter: 'p' }, large)).toThrow('The first 3 pages are larger than 10 MiB');
  });
});

describe('the pagination settings', () => {
  const pages = { by: 'link' };

  it.each([
    [{ method: 'PUT', pagination: pages }, ['pagination']],
    [{ accept_errors: true, pagination: pages }, ['pagination']],
    [{ response: 'file', pagination: pages }, ['pagination']],
    [{ pagination: { ...pages, items: 'a..b' } }, ['pagination', 'items']],
    [{ pagination: { by: 'next_url', next: '{{ a }}' } }, ['pagination', 'next']],
  ])('that cannot work are reported: %j', (config, path) => {
    expect(paginationIssues(config)).toMatchObject([{ path, severity: 'error' }]);
  });

  it('that put a parameter into the body of a GET cause a warning', () => {
    const config = { pagination: { by: 'page', parameter: 'p', in: 'body' } };
    expect(paginationIssues(config)).toMatchObject([{ path: ['pagination', 'in'], severity: 'warning' }]);
    expect(paginationIssues({ ...config, method: 'GET' })).toEqual(paginationIssues(config));
    expect(paginationIssues({ ...config, method: 'POST' })).toEqual([]);
  });

  it.each([
    { method: 'DELETE' },
    { method: '{{ a }}', accept_errors: '{{ a }}', response: 'json', pagination: { by: 'link', items: 'a[0]["b-c"]' } },
    { method: 'POST', pagination: pages },
  ])('that can work are accepted: %j', (config) => {
    expect(paginationIssues(config)).toEqual([]);
  });
});
