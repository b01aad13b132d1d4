import { describe, expect, test } from 'vitest';
import { changesOf, detailOf, problemsOf, shownFields, valuesOf } from './form.ts';

const llm = {
  provider_type: 'provider_a_compatible',
  api_key: 'an-e****-key',
  base_url: 'http://127.0.0.1:8080/v1',
  organization_id: '',
  custom_headers: { 'X-Team': '****', 'X-Cost': '****' },
};
const bearer = { tool_type: 'api', config: { scheme: 'bearer', token: 'abcd****wxyz', allowed_hosts: ['a.example'] } };
const git = {
  provider: 'git_host_b',
  credential_type: 'ssh',
  username: 'ada',
  ssh_private_key: '****',
  access_token: '',
  webhook_secret: '',
};
const other = { tool_type: 'search', config: { api_key: '****', nested: { a: 1, b: 2 } } };

describe('a credential that is saved as it was read', () => {
  test.each([
    ['llm', llm],
    ['tool', bearer],
    ['tool', other],
    ['git', git],
    ['chat_bot', { bot_token: '****', allowed_user_ids: '1,2' }],
  ] as const)('changes no field of type %s', (type, stored) => {
    const values = valuesOf(type, stored);
    expect(changesOf(type, values, stored)).toEqual({});
    expect(problemsOf(type, values)).toEqual({});
  });
});

describe('the changes of a credential', () => {
  test('contain only the changed field, without the spaces and line ends around it', () => {
    expect(changesOf('llm', { ...valuesOf('llm', llm), api_key: ' new-key\n' }, llm)).toEqual({ api_key: 'new-key' });
    expect(changesOf('llm', { ...valuesOf('llm', llm), api_key: '' }, llm)).toEqual({ api_key: '' });
  });

  test('contain only changed headers; an empty value removes one', () => {
    const values = { ...valuesOf('llm', llm), custom_headers: 'X-Team: ****\nX-New: a:b' };
    expect(changesOf('llm', values, llm)).toEqual({ custom_headers: { 'X-Cost': '', 'X-New': 'a:b' } });
  });

  test('remove the keys of the old scheme when another one is chosen', () => {
    const values = {
      ...valuesOf('tool', bearer),
      'config.scheme': 'header',
      'config.name': 'X-Key',
      'config.secret': 's',
    };
    expect(changesOf('tool', values, bearer)).toEqual({
      config: { scheme: 'header', token: null, name: 'X-Key', secret: 's' },
    });
  });

  test('remove keys inside a config that is edited as JSON', () => {
    const values = { ...valuesOf('tool', other), config: '{"api_key": "****", "nested": {"a": 3}}' };
    expect(changesOf('tool', values, other)).toEqual({ config: { nested: { a: 3, b: null } } });
  });
});

test('a config with keys that the form lacks is edited as JSON', () => {
  const stored = { tool_type: 'api', config: { ...bearer.config, note: 'x' } };
  expect(shownFields('tool', valuesOf('tool', stored)).map(({ kind }) => kind)).toEqual(['choice', 'json']);
});

test('a new credential has the values of the form and no masks', () => {
  const values = { ...valuesOf('tool', null), 'config.token': 't', 'config.allowed_hosts': 'a.example, b.example' };
  expect(detailOf('tool', values)).toEqual({
    config: { scheme: 'bearer', token: 't', allowed_hosts: ['a.example', 'b.example'] },
  });
});

test('a private key is sent with one line end', () => {
  const values = { ...valuesOf('git', null), credential_type: 'ssh', ssh_private_key: '\nKEY\nEND\n\n' };
  expect(detailOf('git', values)).toMatchObject({ ssh_private_key: 'KEY\nEND\n' });
});

test.each([
  ['llm', { custom_headers: 'X-Team' }, 'custom_headers'],
  ['tool', {}, 'config.token'],
  ['tool', { 'config.scheme': 'custom', config: '[1]' }, 'config'],
] as const)('a form of type %s with %j has a problem at %s', (type, changed, key) => {
  expect(Object.keys(problemsOf(type, { ...valuesOf(type, null), ...changed }))).toContain(key);
});
