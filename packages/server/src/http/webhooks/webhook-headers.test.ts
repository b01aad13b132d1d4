import { describe, expect, it } from 'vitest';
import { publicHeaders, publicQuery } from './webhook-headers.ts';

const key = `mr_${'k'.repeat(43)}`;

describe('the headers of a run', () => {
  it.each([
    'authorization',
    'proxy-authorization',
    'cookie',
    'x-api-key',
    'api-key',
    'apikey',
    'x-auth-token',
    'x-gitlab-token',
    'x-access-key',
    'x-csrf-token',
    'x-client-secret',
  ])('omit %s', (name) => {
    expect(publicHeaders({ [name]: 'value' })).toEqual({});
  });

  it.each([
    'content-type',
    'x-github-event',
    'user-agent',
    'idempotency-key',
    'x-author',
    'x-request-id',
  ])('keep %s', (name) => {
    expect(publicHeaders({ [name]: 'value' })).toEqual({ [name]: 'value' });
  });

  it('omit a key of this service in any position', () => {
    expect(publicHeaders({ referer: `http://host/hook?api_key=${key}`, 'x-note': 'mr_short' })).toEqual({
      'x-note': 'mr_short',
    });
  });
});

describe('the query of a run', () => {
  it('omits keys and tokens', () => {
    expect(publicQuery({ api_key: 'x', token: 'x', access_token: 'x', key: 'x', password: 'x', other: key })).toEqual(
      {},
    );
  });

  it('keeps the rest, and all values of repeated parameters', () => {
    const query = { page: '2', author: 'jane', sort_key: 'name', tag: ['a', 'b'] };
    expect(publicQuery(query)).toEqual({ page: '2', author: 'jane', sort_key: 'name', tag: ['a', 'b'] });
  });

  it('omits a repeated parameter if one of its values is a key of this service', () => {
    expect(publicQuery({ tag: ['a', key], page: ['', '1'] })).toEqual({ page: ['', '1'] });
  });

  it('has no prototype that a name could access', () => {
    const kept = publicQuery(JSON.parse('{"__proto__":"x"}'));
    expect(Object.keys(kept)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(kept)).toBeNull();
  });
});
