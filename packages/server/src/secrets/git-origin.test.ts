import { expect, test } from 'vitest';
import { boundGitOrigins, gitOriginOf } from './git-origin.ts';

test.each([
  ['git_host_a', 'https://github.com', 'ssh://github.com'],
  ['git_host_b', 'https://gitlab.com', 'ssh://gitlab.com'],
  ['git.example', 'https://git.example', 'ssh://git.example'],
  ['https://Git.Example:8443/team', 'https://git.example:8443', 'ssh://git.example'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', 'ssh://127.0.0.1'],
  ['git.example:2222', 'https://git.example:2222', 'ssh://git.example'],
  ['ssh://git@git.example:2222', null, 'ssh://git.example'],
  ['gitea', null, null],
  ['', null, null],
  ['file:///etc', null, null],
])('the provider %j names %s for its token, and %s for its key', (provider, token, key) => {
  expect(gitOriginOf({ provider }, 'access_token')).toBe(token);
  expect(gitOriginOf({ provider }, 'ssh_private_key')).toBe(key);
});

test('a secret keeps its server until it is entered again', () => {
  const detail = { provider: 'git_host_b', access_token: 'a token', ssh_private_key: 'a key' };
  const before = { access_token: 'https://github.com', ssh_private_key: 'ssh://github.com' };
  expect(boundGitOrigins(detail, new Set(['ssh_private_key']), before)).toEqual({
    access_token: 'https://github.com',
    ssh_private_key: 'ssh://gitlab.com',
  });
  expect(boundGitOrigins({ ...detail, access_token: '' }, new Set(), {})).toEqual({});
});
