import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { maskDetail, mergeDetail, newDetail, secretNames } from './credential-secrets.ts';

const long = 'a-long-enough-secret';
const longMask = 'a-lo****cret';

/** The stored config after the given one was merged into it. */
function mergedConfig(stored: JsonObject, given: JsonObject): unknown {
  const { detail, issues } = mergeDetail('tool', { tool_type: 'api', config: stored }, { config: given });
  return issues.length > 0 ? issues.map(({ path }) => path.join('.')) : detail.config;
}

describe('a detail that is sent back as it was read changes nothing', () => {
  test.each([
    [
      'llm',
      { api_key: long, base_url: 'https://a.example', custom_headers: { 'X-A': long, 'X-B': 'short', 'X-C': '' } },
    ],
    ['chat_bot', { bot_token: 'short', allowed_user_ids: '1,2' }],
    ['git', { ssh_private_key: long, access_token: '', webhook_secret: 'x', username: long }],
    ['tool', { tool_type: 'api', config: { token: long, list: [{ password: 'x' }, { password: long }], n: null } }],
  ] as const)('of type %s', (type, detail) => {
    const sent = maskDetail(type, detail);
    const { n: _removed, ...config } = type === 'tool' ? detail.config : {};
    const expected = type === 'tool' ? { ...detail, config } : detail;
    if (type === 'llm')
      expect(mergeDetail(type, detail, sent).detail).toEqual({
        ...detail,
        custom_headers: { 'X-A': long, 'X-B': 'short' },
      });
    else expect(mergeDetail(type, detail, sent).detail).toEqual(expected);
    expect([...mergeDetail(type, detail, sent).given]).toEqual([]);
    expect(mergeDetail(type, detail, sent).issues).toEqual([]);
  });
});

describe('a merge', () => {
  test('names the secrets that were replaced', () => {
    const stored = { api_key: long, custom_headers: { 'X-A': long, 'X-B': long } };
    const changes = { api_key: 'another', custom_headers: { 'x-a': 'another', 'X-B': longMask, 'X-C': 'new' } };
    const { detail, given } = mergeDetail('llm', stored, changes);
    expect(detail).toEqual({ api_key: 'another', custom_headers: { 'x-a': 'another', 'X-B': long, 'X-C': 'new' } });
    expect([...given]).toEqual(['api_key', 'custom_headers.x-a', 'custom_headers.x-c']);
    expect(secretNames(detail)).toEqual(['api_key', 'custom_headers.x-a', 'custom_headers.x-b', 'custom_headers.x-c']);
    expect(secretNames({ api_key: '', custom_headers: {} })).toEqual([]);
  });

  test('treats a stored secret that is sent in clear text as replaced', () => {
    expect([...mergeDetail('llm', { api_key: long }, { api_key: long }).given]).toEqual(['api_key']);
  });

  test.each([
    ['**** for any stored secret', { token: long }, { token: '****' }, { token: long }],
    ['a key it does not know', { a: 1 }, { b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }],
    ['null, which removes', { a: 1, b: { c: 1, d: 2 } }, { a: null, b: { c: null } }, { b: { d: 2 } }],
    ['another kind of value', { a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
    ['a list without masks, as a whole', { tokens: ['x', 'y'] }, { tokens: ['new'] }, { tokens: ['new'] }],
    ['a key of the prototype', {}, JSON.parse('{"__proto__": {"x": 1}}'), JSON.parse('{"__proto__": {"x": 1}}')],
    ['what only looks like a mask where nothing is secret', { a: 'x' }, { a: 'b****c' }, { a: 'b****c' }],
  ])('accepts %s', (_what, stored, given, merged) => {
    expect(JSON.stringify(mergedConfig(stored, given))).toBe(JSON.stringify(merged));
  });

  test.each([
    ['an outdated mask', { token: long }, { token: 'olds****mask' }, 'config.token'],
    ['a mask where nothing is stored', {}, { token: '****' }, 'config.token'],
    ['a mask in a list that has changed', { tokens: ['x', 'y'] }, { tokens: ['****'] }, 'config.tokens.0'],
    ['a mask below another key', { token: long }, { auth: { password: longMask } }, 'config.auth.password'],
  ])('rejects %s', (_what, stored, given, place) => {
    expect(mergedConfig(stored, given as JsonObject)).toEqual([place]);
  });

  test('a new detail accepts no mask, and stores null', () => {
    expect(newDetail('tool', { config: { a: null, b: { c: null } } }).detail).toEqual({
      config: { a: null, b: { c: null } },
    });
    expect(newDetail('llm', { api_key: '****' }).issues).toMatchObject([{ type: 'masked_value', path: ['api_key'] }]);
  });
});
