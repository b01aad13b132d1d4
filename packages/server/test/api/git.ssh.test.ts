import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { GitServer } from '../support/git-server.ts';
import { runGitSteps } from '../support/git-steps.ts';
import { startLocalApp } from '../support/local-app.ts';
import { newKey, noSshServer, SshServer } from '../support/ssh-server.ts';
import type { WholeApp } from '../support/whole-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-sshd-'));
const commit = { operation: 'commit', files: { 'version.txt': '2\n' }, message: 'Set the version' };

let app: WholeApp;
let api: Api;
let repository: GitServer;
let server: SshServer;

/** The last characters of a key, which are secret. */
const endOf = (key: string) => key.trim().split('\n').at(-2) ?? key;

async function run(configs: readonly JsonObject[], credentialId: number | null, url = sshUrl()) {
  return runGitSteps(api, configs, { url, credentialId, secret: endOf(server.key) });
}

async function runOne(config: JsonObject, credentialId: number | null, url = sshUrl()) {
  const [only] = await run([config], credentialId, url);
  if (only === undefined) throw new Error('no step');
  return only;
}

const sshUrl = (host = '127.0.0.1') => `ssh://${server.user}@${host}:${server.port}${repository.bare}`;

async function addKey(detail: JsonObject = {}): Promise<number> {
  const all = { credential_type: 'ssh', ssh_private_key: server.key, provider: '127.0.0.1', ...detail };
  const answer = await api.post('/api/v1/credentials/', { name: 'git', credential_type: 'git', detail: all });
  expect(answer.text).not.toContain(endOf(server.key));
  return credential.parse(answer.body).id;
}

function leftFiles(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`millrace-ssh-${process.pid}-`));
}

describe.skipIf(noSshServer !== null)(`a repository behind sshd ${noSshServer ?? ''}`, () => {
  beforeAll(async () => {
    repository = await GitServer.start();
    server = await SshServer.start(folder);
    app = await startLocalApp({ sshKnownHosts: server.knownHosts });
    api = await app.member('admin', { isAdmin: true });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
    await repository.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    // The key is deleted at the end of each step.
    expect(leftFiles()).toEqual([]);
    expect(app.errors).toEqual([]);
  });

  it('is cloned, changed, pushed, compared and pulled with a key', async () => {
    const shared = { workspace: 'w' };
    const id = await addKey();
    const steps = await run(
      [
        { ...shared, paths: ['README.md'] },
        { ...shared, ...commit, push: false },
        { ...shared, operation: 'push' },
        { ...shared, operation: 'diff' },
        { ...shared, operation: 'pull' },
      ],
      id,
    );
    expect(steps.map(({ code, error }) => error ?? code)).toEqual([null, null, null, null, null]);
    expect(steps[0]?.result).toMatchObject({ branch: 'main', contents: { 'README.md': '# Site\n' } });
    expect(steps[3]?.result?.diff).toContain('-1\n+2\n');
    expect(repository.show('main')).toContain(String(steps[4]?.result?.commit));
    expect(server.log).toContain(`Accepted publickey for ${server.user}`);
  });

  it('is reached by its name at the address that was checked', async () => {
    server.trust('localhost', server.hostKey);
    const id = await addKey({ provider: 'https://localhost:8443' });
    expect(await runOne({}, id, sshUrl('localhost'))).toMatchObject({ error: null, code: null });
    server.trust('127.0.0.1', server.hostKey);
  });

  it('is not reached with another key of the server than the operator knows', async () => {
    newKey(join(folder, 'other'));
    server.trust('127.0.0.1', readFileSync(join(folder, 'other.pub'), 'utf8'));
    const { code, error } = await runOne({}, await addKey());
    expect([code, error]).toEqual(['git_failed', expect.stringContaining('MILLRACE_SSH_KNOWN_HOSTS')]);
    server.trust('127.0.0.1', server.hostKey);
  });

  it.each([
    ['that the server does not accept', () => newKey(join(folder, 'stranger'))],
    ['that is none', () => 'no key'],
  ])('fails with a key %s', async (_about, key) => {
    const id = await addKey({ ssh_private_key: key() });
    expect(await runOne({}, id)).toMatchObject({ code: 'git_auth', error: expect.stringContaining('ssh_private_key') });
  });

  it('gets no key that was entered for another host', async () => {
    const elsewhere = await addKey({ provider: 'git_host_a' });
    expect(await runOne({}, elsewhere)).toMatchObject({ code: 'credential_origin' });
    await api.patch(`/api/v1/credentials/${elsewhere}/`, { detail: { provider: '127.0.0.1' } });
    expect(await runOne({}, elsewhere)).toMatchObject({ code: 'credential_locked' });
    await api.patch(`/api/v1/credentials/${elsewhere}/`, { detail: { ssh_private_key: server.key } });
    expect(await runOne({}, elsewhere)).toMatchObject({ code: null });
  });

  it('needs a key', async () => {
    expect(await runOne({}, null)).toMatchObject({ code: 'config', error: expect.stringContaining('ssh_private_key') });
    expect(await runOne({}, await addKey({ ssh_private_key: '' }))).toMatchObject({ code: 'credential_unfit' });
    const token = await addKey({ credential_type: 'token', access_token: 'glpat-some-token' });
    expect(await runOne({}, token)).toMatchObject({ code: 'credential_unfit' });
    expect(await runOne({}, await addKey(), repository.url)).toMatchObject({ code: 'credential_unfit' });
  });

  it('that does not exist, or whose server does not answer, has an error of its own', async () => {
    const id = await addKey();
    expect(await runOne({}, id, `${sshUrl()}x`)).toMatchObject({ code: 'git_failed' });
    const closed = `ssh://git@127.0.0.1:${server.port === 1 ? 2 : 1}/site.git`;
    expect(await runOne({}, id, closed)).toMatchObject({ code: 'git_unavailable' });
  });

  it('runs no command but those of git', async () => {
    const id = await addKey();
    const url = `${sshUrl()}'; touch ${join(folder, 'touched')}; '`;
    expect(await runOne({}, id, url)).toMatchObject({ code: 'git_failed' });
    expect(readdirSync(folder)).not.toContain('touched');
  });
});

it('an address of ssh cannot be used without the known hosts of the operator', async () => {
  const other = await startLocalApp();
  const member = await other.member('admin', { isAdmin: true });
  const detail = { credential_type: 'ssh', ssh_private_key: 'some key', provider: 'git_host_a' };
  const { id } = credential.parse(
    (await member.post('/api/v1/credentials/', { name: 'git', credential_type: 'git', detail })).body,
  );
  const steps = { url: 'git@github.com:team/site.git', credentialId: id, secret: 'some key' };
  expect(await runGitSteps(member, [{}], steps)).toMatchObject([
    { code: 'git_unavailable', error: expect.stringContaining('MILLRACE_SSH_KNOWN_HOSTS') },
  ]);
  await other.close();
});
