import { describe, expect, it } from 'vitest';
import { gitError, repositoryAddress, settingsOf } from './remote.ts';

const reached = { headers: {}, environment: {} };

describe('the settings for a server', () => {
  it('pin the checked address, and bind the credential to the origin', () => {
    const headers = { Authorization: 'Basic x' };
    const remote = { ...repositoryAddress('https://git.example/a.git'), ...reached, address: '192.0.2.1', headers };
    expect(settingsOf(remote)).toEqual([
      ['http.curloptResolve', 'git.example:443:192.0.2.1'],
      ['http.https://git.example/.extraHeader', 'Authorization: Basic x'],
    ]);
  });

  it.each([
    ['http://git.example:8080/a', '::1', 'git.example:8080:[::1]'],
    ['http://git.example/a', '192.0.2.1', 'git.example:80:192.0.2.1'],
  ])('of %s at %s pin its port', (url, address, pinned) => {
    expect(settingsOf({ ...repositoryAddress(url), ...reached, address })).toEqual([['http.curloptResolve', pinned]]);
  });

  it('pin nothing if the address of the repository has no name', () => {
    expect(settingsOf({ ...repositoryAddress('http://[::1]:80/a'), ...reached, address: '::1' })).toEqual([]);
  });
});

describe('the error of a call of git', () => {
  const { url } = repositoryAddress('https://git.example/a.git');

  it.each([
    [" ! [rejected]        x -> main (fetch first)\nerror: failed to push some refs to 'x'", 'git_conflict', false],
    [' ! [remote rejected] main -> main (protected branch hook declined)', 'git_conflict', false],
    ["fatal: Authentication failed for 'https://git.example/'", 'git_auth', false],
    ["fatal: could not read Username for 'x': terminal prompts disabled", 'git_auth', false],
    ['fatal: unable to access: The requested URL returned error: 403', 'git_auth', false],
    ['fatal: unable to access: The requested URL returned error: 502', 'git_unavailable', true],
    ['fatal: unable to access: Failed to connect to git.example port 443', 'git_unavailable', true],
    ["fatal: couldn't find remote ref refs/heads/a", 'git_failed', false],
    ['git@git.example: Permission denied (publickey).\nfatal: Could not read from remote', 'git_auth', false],
    ['Host key verification failed.\nfatal: Could not read from remote', 'git_failed', false],
    ['ssh: connect to host git.example port 22: No route to host', 'git_unavailable', true],
    ['sh: 1: exec: ssh: not found', 'git_unavailable', false],
    ['', 'git_failed', false],
  ])('%j is %s', (errors, code, retryable) => {
    expect(gitError(errors, url)).toMatchObject({ code, retryable });
  });

  it('says what ssh wrote', () => {
    const errors = 'No user exists for uid 1234\nfatal: Could not read from remote repository.\n\nPlease make sure';
    const words = 'Git failed: No user exists for uid 1234 fatal: Could not read from remote repository.';
    expect(gitError(errors, url).message).toBe(words);
  });

  it('has at most some lines of what git wrote', () => {
    expect(gitError(`noise\nfatal: ${'x'.repeat(5000)}`, url).message).toMatch(/^Git failed: fatal: x{1,500}$/);
  });
});
