import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitRequest } from '@millrace/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GitServer } from '../../test/support/git-server.ts';
import { createGit, type Git } from './git.ts';
import { repositoryAddress } from './remote.ts';
import { Repository } from './repository.ts';
import { Workspaces } from './workspaces.ts';

let server: GitServer;
let git: Git | null = null;
beforeEach(async () => {
  server = await GitServer.start();
});
afterEach(async () => {
  await git?.close();
  await server.close();
});

type Limits = Omit<Parameters<typeof createGit>[0], 'addressOf'>;

function clone(limits: Limits = {}, signal = new AbortController().signal) {
  git = createGit({ addressOf: async () => '127.0.0.1', ...limits });
  return cloneFor(1, signal);
}

async function cloneFor(ownerId: number, signal: AbortSignal) {
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
  return git?.perform({ executionId: 'run', ownerId, request, headers: {}, sshKey: null, at: 0, signal });
}

it('fails if the repository is too large', async () => {
  expect(await clone()).toMatchObject({ branch: 'main' });
  await expect(clone({ maxSize: 100 })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringMatching(/more than/),
  });
});

it('ends the program when the step is cancelled', async () => {
  const controller = new AbortController();
  const cancelled = new Error('cancelled');
  server.answer = () => controller.abort(cancelled);
  await expect(clone({}, controller.signal)).rejects.toBe(cancelled);
});

/** A commit whose tree has ten million paths, and some ten objects. */
function commitBomb(): void {
  const { bare } = server;
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['-C', bare, ...args], { input, encoding: 'utf8' }).trim();
  let entry = `100644 blob ${git(['hash-object', '-w', '--stdin'], 'x')}`;
  for (let level = 0; level < 7; level += 1) {
    const lines = Array.from({ length: 10 }, (_, index) => `${entry}\t${index}\n`).join('');
    entry = `040000 tree ${git(['mktree'], lines)}`;
  }
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const commit = git([...identity, 'commit-tree', '-m', 'bomb', entry.split(' ')[2] ?? '']);
  git(['update-ref', 'refs/heads/main', commit]);
}

it('lists no more than the output allows of a tree with ten million paths', async () => {
  commitBomb();
  const message = 'Git returned more than 32 MiB: name fewer paths.';
  await expect(clone()).rejects.toMatchObject({ code: 'git_failed', message });
}, 60_000);

it('reads a commit without its tree', async () => {
  commitBomb();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-git-'));
  const remote = { ...repositoryAddress(server.url), address: '127.0.0.1', headers: {}, environment: {} };
  const repository = new Repository(folder, remote, {
    signal: new AbortController().signal,
    maxMemory: 64 * 2 ** 20,
  });
  await repository.init();
  await repository.fetch('main', 1);
  await repository.reset('main');
  const id = await repository.idOf('refs/heads/main');
  expect(await repository.describe(id)).toMatchObject({ commit: id, message: 'bomb' });
  await expect(repository.treeWith(id, { a: 'b' })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('Git needed more than 64 MiB of memory'),
  });
  rmSync(folder, { recursive: true });
});

it('gives git and its helpers a limit of memory, whatever a server sends', async () => {
  const line = (index: number) => {
    const ref = `${'1'.repeat(40)} refs/heads/${'a'.repeat(200)}${index}\n`;
    return `${(ref.length + 4).toString(16).padStart(4, '0')}${ref}`;
  };
  server.answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write('001e# service=git-upload-pack\n0000');
    let index = 0;
    const more = (): void => {
      let hasRoom = true;
      while (hasRoom && !response.destroyed) {
        hasRoom = response.write(line(index));
        index += 1;
      }
    };
    response.on('drain', more);
    more();
  };
  await expect(clone({ maxMemory: 64 * 2 ** 20 })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('Git needed more than 64 MiB of memory'),
  });
}, 60_000);

it.each([
  [2 ** 40, 6],
  [8 * 2 ** 30, 3],
  [4 * 2 ** 30, 2],
  [2 ** 30, 1],
])(
  'with %i bytes of memory, does %i operations of one owner at once, and owners take turns',
  async (memory, most) => {
    const ends: (() => void)[] = [];
    server.answer = (response) => void ends.push(() => response.writeHead(404).end());
    const controller = new AbortController();
    const order: number[] = [];
    const start = (ownerId: number) => cloneFor(ownerId, controller.signal).catch(() => order.push(ownerId));
    git = createGit({ addressOf: async () => '127.0.0.1', machineMemory: memory });
    const all = [...Array.from({ length: 30 }, () => start(1)), start(2)];
    // The second owner begins at once where the first one leaves a place, and else before all operations that wait.
    const atFirst = most < 3 ? most : most + 1;
    await vi.waitFor(() => expect(ends).toHaveLength(atFirst), { timeout: 20_000 });
    while (!order.includes(2)) {
      for (const end of ends.splice(0)) end();
      await vi.waitFor(() => expect(ends.length > 0 || order.includes(2)).toBe(true), { timeout: 20_000 });
    }
    expect(order.length).toBeLessThan(20);
    controller.abort(new Error('over'));
    await Promise.all(all);
  },
  60_000,
);

it('has at most 15 workspaces for one owner, and more for others', async () => {
  const workspaces = new Workspaces();
  const open = (ownerId: number, run: string) =>
    workspaces.withShared({ run, ownerId, name: 'a' }, async () => ownerId);
  for (let run = 0; run < 15; run += 1) await open(1, `1/${run}`);
  const rejection = { code: 'git_unavailable', retryable: true, message: expect.stringContaining('its share') };
  await expect(open(1, '1/15')).rejects.toMatchObject(rejection);
  expect(await open(1, '1/0')).toBe(1);
  for (let run = 0; run < 4; run += 1) expect(await open(2, `2/${run}`)).toBe(2);
  await expect(open(2, '2/4')).rejects.toMatchObject(rejection);
  await workspaces.forget('1/0');
  expect(await open(2, '2/4')).toBe(2);
  await workspaces.close();
});
