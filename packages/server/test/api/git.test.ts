import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { GitServer } from '../support/git-server.ts';
import { runGitSteps } from '../support/git-steps.ts';
import { startLocalApp } from '../support/local-app.ts';
import type { WholeApp } from '../support/whole-app.ts';

const token = 'glpat-a-token-of-some-length';
const author = { name: 'Bot', email: 'bot@example.com' };

let app: WholeApp;
let api: Api;
let server: GitServer;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  server = await GitServer.start();
});
afterEach(async () => {
  await server.close();
  // A copy is deleted at the end of its step, and a workspace soon after the end of its execution.
  await expect.poll(copies).toEqual([]);
  expect(app.errors).toEqual([]);
});

function copies(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`millrace-git-${process.pid}-`));
}

/** The steps of one execution with these git nodes in sequence. */
function run(configs: readonly JsonObject[], credentialId: number | null = null) {
  return runGitSteps(api, configs, { url: server.url, credentialId, secret: token });
}

async function runOne(config: JsonObject, credentialId: number | null = null) {
  const [only] = await run([config], credentialId);
  if (only === undefined) throw new Error('no step');
  return only;
}

/** A credential with a token for the server of the test. */
async function addCredential(detail: JsonObject = {}): Promise<number> {
  const all = { access_token: token, provider: server.origin, ...detail };
  const body = { name: 'git', credential_type: 'git', detail: all };
  return credential.parse((await api.post('/api/v1/credentials/', body)).body).id;
}

/** The server accepts only this token. */
function requireToken(username: string): void {
  server.password = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
}

const commit = { operation: 'commit', files: { 'version.txt': '2\n' }, message: 'Set the version', author };

describe.each(['clone', 'pull'])('%s', (operation) => {
  it('outputs the newest commit, its files, and the contents of those that are named', async () => {
    const head = server.commit({ 'src/größe 1.txt': 'ä\n', '-n': 'dash' });
    const { result } = await runOne({ operation, paths: ['README.md', 'src/größe 1.txt', '-n'] });
    expect(result).toMatchObject({
      branch: 'main',
      commit: head,
      author: { name: 'Ada', email: 'ada@example.com' },
      message: 'Change src/größe 1.txt, -n',
      files: ['-n', 'README.md', 'src/größe 1.txt', 'version.txt'],
      contents: { 'README.md': '# Site\n', 'src/größe 1.txt': 'ä\n', '-n': 'dash' },
    });
  });

  it('reads the branch that is named', async () => {
    const head = server.commit({ 'a.txt': 'a' }, 'release/1');
    expect((await runOne({ operation, branch: 'release/1' })).result).toMatchObject({
      branch: 'release/1',
      commit: head,
    });
  });
});

describe('commit', () => {
  it('changes, adds and deletes files, and pushes them', async () => {
    const files = { 'version.txt': '2\n', 'new/file.txt': 'new', 'README.md': null };
    const { result } = await runOne({ ...commit, files });
    expect(result).toMatchObject({ branch: 'main', changed: true, pushed: true });
    expect(server.show('main')).toContain(`${result?.commit} Bot <bot@example.com> `);
    expect(server.git('-C', server.bare, 'ls-tree', '-r', '--name-only', 'main')).toBe('new/file.txt\nversion.txt');
    expect(server.git('-C', server.bare, 'show', 'main:version.txt')).toBe('2');
  });

  it('commits nothing twice', async () => {
    const [first, again] = [await runOne(commit), await runOne(commit)];
    expect(again.result).toEqual({ ...first.result, changed: false });
    expect(server.git('-C', server.bare, 'rev-list', '--count', 'main')).toBe('2');
  });

  it('keeps a program executable', async () => {
    server.commit({ 'run.sh': 'old' });
    server.git('-C', server.work, 'update-index', '--chmod=+x', 'run.sh');
    server.git('-C', server.work, 'commit', '--quiet', '-m', 'x');
    server.git('-C', server.work, 'push', '--quiet', 'origin', 'HEAD:main');
    await runOne({ ...commit, files: { 'run.sh': 'new' } });
    expect(server.git('-C', server.bare, 'ls-tree', 'main', 'run.sh')).toMatch(/^100755 /);
  });

  it('replaces a symbolic link by a file, and follows none', async () => {
    server.git('-C', server.work, 'config', 'core.symlinks', 'false');
    symlinkSync('/etc/passwd', join(server.work, 'link'));
    const files = server.commit({ 'a.txt': 'a' });
    expect((await runOne({ paths: ['link'] })).result).toMatchObject({ commit: files });
    const { result } = await runOne({ paths: ['link'] });
    expect(JSON.stringify(result)).not.toContain('root:');
    await runOne({ ...commit, files: { link: 'text' } });
    expect(server.git('-C', server.bare, 'show', 'main:link')).toBe('text');
  });

  it('fails with git_conflict if the server does not accept the push', async () => {
    mkdirSync(join(server.bare, 'hooks'), { recursive: true });
    writeFileSync(join(server.bare, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(await runOne(commit)).toMatchObject({ code: 'git_conflict' });
  });

  it.each([
    [{ files: {} }, /files/],
    [{ message: ' ' }, /message/],
    [{ author: { name: '<>', email: 'a' } }, /author/],
  ])('without what it needs fails with config: %j', async (config, words) => {
    expect(await runOne({ ...commit, ...config })).toMatchObject({
      code: 'config',
      error: expect.stringMatching(words),
    });
    expect(server.seen).toEqual([]);
  });
});

describe('diff', () => {
  it('outputs what the last commits changed', async () => {
    server.commit({ 'version.txt': '2\n' });
    server.commit({ 'a.txt': 'a\n' });
    const { result } = await runOne({ operation: 'diff', depth: 2 });
    expect(result).toMatchObject({ files: ['a.txt', 'version.txt'], cut: false });
    expect(result?.diff).toContain('-1\n+2\n');
    expect((await runOne({ operation: 'diff', depth: 2, paths: ['a.txt'] })).result?.files).toEqual(['a.txt']);
    expect((await runOne({ operation: 'diff', depth: 9 })).result?.files).toContain('README.md');
  });

  it('outputs what files would change', async () => {
    const { result } = await runOne({ operation: 'diff', files: { 'version.txt': '3\n' } });
    expect(result?.diff).toContain('-1\n+3\n');
    expect(server.git('-C', server.bare, 'rev-list', '--count', 'main')).toBe('1');
  });
});

describe('a workspace', () => {
  const shared = { workspace: 'w' };

  it('is one copy for the steps of an execution', async () => {
    const steps = await run([
      { ...shared },
      { ...shared, ...commit, push: false },
      { ...shared, ...commit, files: { 'b.txt': 'b' }, push: false },
      { ...shared, operation: 'diff', depth: 2 },
      { ...shared, operation: 'push' },
      { ...shared, operation: 'pull' },
    ]);
    expect(steps.map(({ code }) => code)).toEqual([null, null, null, null, null, null]);
    expect(steps[3]?.result?.files).toEqual(['b.txt', 'version.txt']);
    expect(server.git('-C', server.bare, 'rev-list', '--count', 'main')).toBe('3');
    expect(server.show('main')).toContain(String(steps[5]?.result?.commit));
  });

  it('cannot be pushed in another execution, in which it does not exist', async () => {
    expect(await runOne({ ...shared, operation: 'push' })).toMatchObject({ code: 'git_failed' });
  });
});

describe('a credential', () => {
  it.each([
    [{}, 'git'],
    [{ username: 'ada' }, 'ada'],
  ])('is sent to its server: %j', async (detail, username) => {
    requireToken(username);
    const id = await addCredential(detail);
    expect(await runOne(commit, id)).toMatchObject({ code: null, result: { pushed: true } });
  });

  it('that the server does not accept, or none, fails with git_auth', async () => {
    requireToken('other');
    const message = { code: 'git_auth', error: expect.stringContaining(new URL(server.url).host) };
    expect(await runOne({}, await addCredential())).toMatchObject(message);
    expect(await runOne({})).toMatchObject(message);
  });

  it('is masked where the server or a file repeats it', async () => {
    server.commit({ 'README.md': `Use ${token}.`, [`${token}.txt`]: '' });
    const { result } = await runOne({ paths: ['README.md'] }, await addCredential());
    expect(result).toMatchObject({
      contents: { 'README.md': 'Use ****.' },
      files: ['README.md', '****.txt', 'version.txt'],
    });
    server.answer = (response) => response.writeHead(500).end(`fatal: ${token}`);
    expect((await runOne({}, await addCredential())).error).not.toContain(token);
  });

  it('is not sent to another server', async () => {
    const id = await addCredential({ provider: 'https://git.example' });
    expect(await runOne({}, id)).toMatchObject({ code: 'credential_origin' });
    const locked = await addCredential({ provider: 'https://git.example' });
    await api.patch(`/api/v1/credentials/${locked}/`, { detail: { provider: server.origin } });
    expect(await runOne({}, locked)).toMatchObject({ code: 'credential_locked' });
    expect(server.seen).toEqual([]);
  });

  it('is not sent along a redirect', async () => {
    const other = await GitServer.start();
    server.answer = (response) =>
      response.writeHead(302, { location: `${other.url}/info/refs?service=git-upload-pack` }).end();
    expect((await runOne({}, await addCredential())).code).toBe('git_failed');
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it.each([
    [{ access_token: '' }, 'credential_unfit'],
    [{ credential_type: 'ssh' }, 'credential_unfit'],
  ])('that has no token fails: %j', async (detail, code) => {
    expect(await runOne({}, await addCredential(detail))).toMatchObject({ code });
  });
});

describe('nothing is sent for', () => {
  it.each([
    { url: '--upload-pack=touch /tmp/x' },
    { url: 'ext::sh -c touch% /tmp/x' },
    { url: 'file:///etc' },
    { url: '/etc' },
    { url: 'ssh://git@git.example/a' },
    { url: 'git@git.example:a.git' },
    { url: 'git://git.example/a' },
    { url: 'http://user:secret@git.example/a' },
    { url: 'http://git.example/a?service=x' },
    { branch: '--upload-pack=touch /tmp/x' },
    { branch: '../main' },
    { branch: 'main:other' },
    { paths: ['../../etc/passwd'] },
    { paths: ['.git/config'] },
    { ...commit, files: { '.git/hooks/post-update': 'x' } },
    { ...commit, files: { '../x': 'x' } },
    { ...commit, files: { '/etc/x': 'x' } },
    { ...commit, files: { 'a\n0 x': 'x' } },
    { ...commit, files: { 'GIT~1/config': 'x' } },
  ])('%j', async (config) => {
    expect(await runOne(config)).toMatchObject({ code: 'config' });
    expect(server.seen).toEqual([]);
  });

  it('an address that the outbound policy does not allow', async () => {
    expect(await runOne({ url: 'http://169.254.169.254/a' })).toMatchObject({ code: 'http_blocked' });
    expect(await runOne({ url: 'http://[::127.0.0.1]/a' })).toMatchObject({ code: 'http_blocked' });
  });
});

describe('a failure', () => {
  it.each([
    [{ branch: 'missing' }, 'git_failed'],
    [{ paths: ['missing.txt'] }, 'git_failed'],
  ])('of %j is %s', async (config, code) => {
    expect(await runOne(config)).toMatchObject({ code });
  });

  it('of the server is git_unavailable', async () => {
    server.answer = (response) => response.writeHead(503).end();
    expect(await runOne({})).toMatchObject({ code: 'git_unavailable' });
    const { port } = new URL(server.url);
    expect(await runOne({ url: `http://localhost:${port === '1' ? 2 : 1}/a` })).toMatchObject({
      code: 'git_unavailable',
    });
  });
});

it('reaches a server by its name at the address that was checked', async () => {
  const url = server.url.replace('127.0.0.1', 'localhost');
  expect(await runOne({ url })).toMatchObject({ code: null });
});
