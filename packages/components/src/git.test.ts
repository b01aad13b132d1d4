import type { GitRequest, JsonObject } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { git } from './git.ts';
import { perform } from './step.testkit.ts';

const url = 'https://git.example/a.git';
const commit = { url, operation: 'commit', files: { 'a.txt': 'a' }, message: 'Add a' };

/** The requests that a node with this config makes. */
async function requestsOf(config: JsonObject): Promise<readonly GitRequest[]> {
  const requests: GitRequest[] = [];
  const note = async (request: GitRequest) => {
    requests.push(request);
    return {};
  };
  await perform(git, { config, git: note });
  return requests;
}

describe('a step', () => {
  it('reads the default branch unless its config says otherwise', async () => {
    const author = { name: 'Millrace', email: 'millrace@localhost' };
    const unset = { operation: 'clone', branch: null, depth: 1, paths: [], files: {}, message: '', workspace: null };
    expect(await requestsOf({ url })).toEqual([{ url, author, push: true, ...unset }]);
  });

  it('takes single paths, and numbers as text from expressions', async () => {
    expect(await requestsOf({ url, paths: 'a.txt', depth: '{{ 2 + 1 }}' })).toMatchObject([
      { paths: ['a.txt'], depth: 3 },
    ]);
  });

  it.each([
    {},
    { url, branch: '-x' },
    { url, depth: '{{ 0 }}' },
    { url, paths: '../a' },
    { ...commit, files: {} },
    { ...commit, files: '{{ [1] }}' },
    { ...commit, files: { '.git/config': 'a' } },
    { ...commit, message: '' },
    { ...commit, author: { name: '...', email: 'a' } },
  ])('with %j fails', async (config) => {
    await expect(requestsOf(config)).rejects.toMatchObject({ code: 'config' });
  });
});
