import type { GitRequest } from '@millrace/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GitServer } from '../../test/support/git-server.ts';
import { createGit, type Git } from './git.ts';

let server: GitServer;
let git: Git | null = null;
beforeEach(async () => {
  server = await GitServer.start();
});
afterEach(async () => {
  await git?.close();
  await server.close();
});

function clone(maxSize?: number, signal = new AbortController().signal) {
  git = createGit({ addressOf: async () => '127.0.0.1', ...(maxSize !== undefined && { maxSize }) });
  const request: GitRequest = {
    operation: 'clone',
    url: server.url,
    branch: 'main',
    depth: 1,
    paths: [],
    files: {},
    message: '',
    author: { name: 'a', email: 'a' },
    push: true,
    workspace: null,
  };
  return git.perform({ executionId: 'run', request, headers: {}, at: 0, signal });
}

it('fails if the repository is too large', async () => {
  expect(await clone()).toMatchObject({ branch: 'main' });
  await expect(clone(100)).rejects.toMatchObject({ code: 'git_failed', message: expect.stringMatching(/more than/) });
});

it('ends the program when the step is cancelled', async () => {
  const controller = new AbortController();
  const cancelled = new Error('cancelled');
  server.answer = () => controller.abort(cancelled);
  await expect(clone(undefined, controller.signal)).rejects.toBe(cancelled);
});
