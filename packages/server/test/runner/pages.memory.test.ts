import { type OutboundResponse, Pager, runThrough } from '@millrace/core';
import type { Pagination } from '@millrace/core/testkit';
import { expect, test } from 'vitest';
import { heapInUse } from '../support/heap.ts';

const mebibyte = 1024 * 1024;
const pages = 60;
const url = 'https://api.example/list';

const ways: readonly Pagination[] = [
  { by: 'link', items: 'items', max_pages: pages },
  { by: 'next_url', next: 'next', items: 'items', max_pages: pages },
  { by: 'cursor', next: 'next', parameter: 'p', items: 'items', max_pages: pages },
  { by: 'cursor', next: 'next', parameter: 'p', in: 'body', items: 'items', max_pages: pages },
  { by: 'page', parameter: 'p', items: 'items', max_pages: pages },
  { by: 'page', parameter: 'p', in: 'body', items: 'items', max_pages: pages },
  { by: 'offset', parameter: 'p', in: 'body', items: 'items', max_pages: pages },
];

function answerOf(page: number): OutboundResponse {
  const next = `?p=${page + 1}`;
  const text = JSON.stringify({ items: [page], next });
  const body = { size: text.length, text: () => text, base64: () => '' };
  return { url, isFromHome: true, status: 200, headers: { link: `<${next}>; rel="next"` }, body };
}

test.each(ways)('the memory for pages does not grow with the size of the requests: %j', (pagination) => {
  const request = {
    method: 'POST',
    url,
    headers: {},
    body: JSON.stringify({ text: 'x'.repeat(mebibyte) }),
  };
  const resolveUrl = (reference: string, base: string) => URL.parse(reference, base);
  const pager = new Pager({ pagination, request, resolveUrl });
  const before = heapInUse();
  for (let { first: next }: { first: typeof pager.first | null } = pager; next !== null; ) {
    next = runThrough(pager.take(answerOf(pager.pages)));
  }
  expect(pager.pages).toBe(pages);
  // The last request is kept with its body, and at most one other.
  expect(heapInUse() - before).toBeLessThan(4 * mebibyte);
  expect(pager.items).toHaveLength(pages);
});
