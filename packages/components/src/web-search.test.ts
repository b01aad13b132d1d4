import type { OutboundRequest, OutboundResponse } from '@millrace/core';
import { expect, test } from 'vitest';
import { perform } from './step.testkit.ts';
import { webSearch } from './web-search.ts';

function answering(status: number, value: unknown, sent: OutboundRequest[] = []) {
  return (request: OutboundRequest): OutboundResponse => {
    sent.push(request);
    const text = JSON.stringify(value);
    const body = { size: text.length, text: () => text, base64: () => btoa(text) };
    return { url: request.url, isFromHome: true, status, headers: { 'content-type': 'application/json' }, body };
  };
}

test('a search asks the endpoint of the credential for JSON', async () => {
  const sent: OutboundRequest[] = [];
  const { outputs } = await perform(webSearch, {
    input: 'tea & cake',
    config: { language: 'de', time_range: 'week', categories: 'news' },
    credentialEndpoint: 'https://search.example/',
    http: answering(200, { results: [{ title: 'Tea', url: 'https://a.example', content: 'x'.repeat(2000) }, 7] }, sent),
  });
  expect(sent.map(({ url }) => url)).toEqual([
    'https://search.example/search?q=tea%20%26%20cake&format=json&language=de&time_range=week&categories=news',
  ]);
  expect(outputs.result).toEqual([{ title: 'Tea', url: 'https://a.example', text: 'x'.repeat(1000), published: null }]);
});

test('a search without an endpoint, an engine without JSON, and another server fail with the remedy', async () => {
  const search = (config: object, http = answering(200, { results: [] })) =>
    perform(webSearch, { config: { query: 'tea', ...config }, http });
  await expect(search({})).rejects.toMatchObject({ code: 'config', message: expect.stringContaining("'endpoint'") });
  const config = { endpoint: 'https://search.example/search' };
  await expect(search(config, answering(403, {}))).rejects.toThrow("'search.formats'");
  await expect(search(config, answering(200, { hits: [] }))).rejects.toThrow("no list 'results'");
  await expect(search(config, answering(502, {}))).rejects.toMatchObject({ code: 'http_status', retryable: true });
  await expect(search({ ...config, limit: '{{ 50 }}' })).rejects.toThrow('1 to 20');
});
