import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ServiceProcess, testKey } from '../durable/service-process.ts';
import { StartedServices } from './started-services.ts';

let dataDir: string;
let services: StartedServices;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-start-'));
  services = new StartedServices();
});

afterEach(async () => {
  await services.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  services.start(dataDir, environment);

const complaint = (environment: Record<string, string> = {}): Promise<string> =>
  services.complaint(dataDir, environment);

describe('a start that cannot succeed prints the reason in one line, and exits with 1', () => {
  test('when the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await complaint({ MILLRACE_PORT: String(port) })).toBe(
      `exit 1: Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set MILLRACE_PORT to another port.\n`,
    );
    await new Promise((resolve) => other.close(resolve));
  });

  test('when the data directory cannot be created', async () => {
    // Unlike file modes, a file at this path also stops root.
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    expect(await complaint({ MILLRACE_DATA_DIR: join(file, 'data') })).toMatch(
      /^exit 1: The data directory \S+ cannot be written \(ENOTDIR\): set MILLRACE_DATA_DIR to a writable one\.\n$/,
    );
  });

  test("when nothing can be created in the data directory's parent", async () => {
    // The kernel's /proc answers every mkdir with "no such file".
    expect(await complaint({ MILLRACE_DATA_DIR: '/proc/nope/data' })).toMatch(
      /^exit 1: The data directory \S+ cannot be written/,
    );
  });

  test('when another service uses the data directory, or its database from another data directory', async () => {
    await start();
    expect(await complaint()).toMatch(/^exit 1: Another Millrace already uses the data directory .*\n$/);
    const elsewhere = {
      MILLRACE_DATA_DIR: join(dataDir, 'elsewhere'),
      MILLRACE_DATABASE_URL: `sqlite:${join(dataDir, 'millrace.db')}`,
    };
    expect(await complaint(elsewhere)).toMatch(/^exit 1: Another Millrace already uses the database \S+: .*\n$/);
  });

  test('when the database has a newer version', async () => {
    await (await start()).stop();
    const database = new Database(join(dataDir, 'millrace.db'));
    database.exec("INSERT INTO migrations SELECT 999, 'from-the-future', max(applied_at) FROM migrations");
    database.close();
    expect(await complaint()).toMatch(
      /^exit 1: The database is at version 999, and this Millrace supports versions up to \d+: .*\n$/,
    );
  });

  test('when the database is not one', async () => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'millrace.db'), 'something else entirely, long enough to be looked at'.repeat(100));
    expect(await complaint()).toMatch(
      /^exit 1: The database \S+ cannot be opened \(SQLITE_NOTADB\): its file is damaged\. Restore a backup, see docs\/storage\.md\.\n$/,
    );
  });

  test('when the secret key is not the one that was used', async () => {
    const phrase = 'a phrase of at least 32 characters, as asked';
    await (await start({ MILLRACE_SECRET_KEY: phrase })).stop();
    const rejected = /^exit 1: \S.* does not open the secrets that are stored: give the key .*\n$/;
    expect(await complaint({ MILLRACE_SECRET_KEY: `${phrase}!` })).toMatch(rejected);
    const missing =
      /^exit 1: The secret key file \S+ is missing, and the stored secrets cannot be read without it: .*\n$/;
    expect(await complaint()).toMatch(missing);
  });

  test('when other users may read the secret key', async () => {
    await (await start()).stop();
    chmodSync(join(dataDir, 'secret.key'), 0o644);
    expect(await complaint()).toMatch(
      /^exit 1: The secret key file \S+ may be read by others \(mode 644\): chmod 600 it, and rotate the key\.\n$/,
    );
  });

  test('when the given key was revoked', async () => {
    const service = await start();
    const { body } = await service.call('GET', '/api/v1/users/me/keys/');
    const [key] = (Array.isArray(body) ? body : (body as { items: unknown[] }).items) as { id: number }[];
    expect((await service.call('DELETE', `/api/v1/users/me/keys/${key?.id}/`)).status).toBe(204);
    await service.stop();
    expect(await complaint()).toBe(
      'exit 1: MILLRACE_API_KEY is a key that was revoked: set it to another one, or unset it.\n',
    );
  });

  test('when a setting is invalid', async () => {
    expect(await complaint({ MILLRACE_PORT: 'many' })).toBe(
      'exit 1: MILLRACE_PORT must be a whole number from 0 to 65535\n',
    );
    expect(await complaint({ MILLRACE_EGRESS_ALLOW: '10.0.0.0/8, a b' })).toMatch(
      /^exit 1: MILLRACE_EGRESS_ALLOW has 'a b', which is neither an address, .*\n$/,
    );
  });
});

test('a start with a file of MCP servers that cannot be used fails', async () => {
  expect(await complaint({ MILLRACE_MCP_SERVERS: '/no/such/file' })).toBe(
    'exit 1: MILLRACE_MCP_SERVERS: /no/such/file cannot be read\n',
  );
});

test('a start with a file of known hosts that cannot be read fails', async () => {
  expect(await complaint({ MILLRACE_SSH_KNOWN_HOSTS: '/no/such/file' })).toBe(
    'exit 1: MILLRACE_SSH_KNOWN_HOSTS: /no/such/file cannot be read\n',
  );
});

test('a service with a configured proxy counts wrong keys by the caller that the proxy reports', async () => {
  const service = await start({ MILLRACE_TRUST_PROXY: '127.0.0.1' });
  const guess = async (caller: string) => {
    const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': caller };
    return (await fetch(`${service.url}/api/v1/auth/me/`, { headers })).status;
  };
  for (let count = 0; count < 20; count += 1) expect(await guess('203.0.113.7')).toBe(401);
  expect(await guess('203.0.113.7')).toBe(429);
  expect(await guess('203.0.113.8')).toBe(401);
});

describe('the first start', () => {
  test('creates a key that only its owner may read, prints it once, prints a line that runs the example, and lists no workflow', async () => {
    const first = await start({ MILLRACE_API_KEY: '' });
    const key = readFileSync(join(dataDir, 'admin.key'), 'utf8').trim();
    expect(statSync(join(dataDir, 'admin.key')).mode & 0o777).toBe(0o600);
    expect(first.printed.join('\n')).toContain(key);
    const body = '{"kind":"greeting","name":"world"}';
    expect(first.printed.join('\n')).toContain(
      `-d kind=greeting -d name=world ${first.url}/api/v1/webhooks/millrace-hello`,
    );
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${first.url}/api/v1/webhooks/millrace-hello`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'Hello, world!' }]);
    const list = await fetch(`${first.url}/api/v1/workflows/`, { headers });
    expect(await list.json()).toEqual({ items: [], total: 0 });
    await first.stop();
    const second = await start({ MILLRACE_API_KEY: '' });
    expect(second.printed.join('\n')).not.toContain(key);
  });

  test('prints first a link that logs in once, and so does each start until somebody has logged in', async () => {
    const linkOf = ({ printed: [line = ''] }: ServiceProcess) =>
      /^Log in with this link: (\S+)\/setup#token=([\w-]{22})$/.exec(line)?.slice(1) ?? [];
    const first = await start();
    const [address, unused] = linkOf(first);
    expect(address).toBe(first.url);
    // A terminal does not break the link.
    expect(first.printed[0]?.length).toBeLessThanOrEqual(80);
    await first.stop();
    const second = await start();
    const logIn = async (token: string | undefined) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ setup_token: token });
      return (await fetch(`${second.url}/api/v1/auth/session/`, { method: 'POST', headers, body })).status;
    };
    expect(await logIn(unused)).toBe(401);
    expect(await logIn(linkOf(second)[1])).toBe(200);
    await second.stop();
    expect((await start()).printed[0]).toMatch(/^Millrace listens on /);
  });

  test('without a free port creates no key: the next start prints it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const port = String((other.address() as AddressInfo).port);
    expect(await complaint({ MILLRACE_API_KEY: '', MILLRACE_PORT: port })).toContain('is in use');
    await new Promise((resolve) => other.close(resolve));
    expect((await start({ MILLRACE_API_KEY: '' })).printed.join('\n')).toMatch(/mr_[\w-]{43}/);
  });

  test('is repeated if the last key was revoked, or the first was lost', async () => {
    const first = await start();
    await first.call('DELETE', '/api/v1/users/me/keys/1/');
    await first.stop();
    const second = await start({ MILLRACE_API_KEY: '' });
    const [key] = /mr_[\w-]{43}/.exec(second.printed.join('\n')) ?? [];
    const answer = await fetch(`${second.url}/api/v1/auth/me/`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
  });

  test('has an example that answers any payload', async () => {
    const service = await start();
    for (const body of [{}, 5, { kind: 'greeting', name: null }]) {
      const answer = await service.call('POST', '/api/v1/webhooks/millrace-hello', body);
      expect(answer).toMatchObject({ status: 200, body: { message: expect.stringMatching(/Send|Hello, stranger!/) } });
    }
  });

  test('stores no key in plain text', async () => {
    const service = await start();
    await service.call('GET', '/api/v1/auth/me/');
    await service.stop();
    expect(readFileSync(join(dataDir, 'millrace.db')).includes(testKey)).toBe(false);
  });
});

test('SIGTERM lets a request that waits for its run get its response, and exits with 0', async () => {
  const service = await start();
  let answer: (() => void) | undefined;
  const asked = Promise.withResolvers<void>();
  const slow = createHttpServer((_request, response) => {
    answer = () => response.end('ok');
    asked.resolve();
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const { port } = slow.address() as AddressInfo;
  await service.call('POST', '/api/v1/workflows/', { name: 'Slow', slug: 'slow' });
  const hook = {
    node_id: 'hook',
    component_type: 'trigger_webhook',
    config: { extra_config: { response_mode: 'last_node' } },
  };
  const call = {
    node_id: 'call',
    component_type: 'http_request',
    config: { extra_config: { url: `http://127.0.0.1:${port}/` } },
  };
  for (const node of [hook, call]) await service.call('POST', '/api/v1/workflows/slow/nodes/', node);
  await service.call('POST', '/api/v1/workflows/slow/edges/', { source_node_id: 'hook', target_node_id: 'call' });
  const answered = service.call('POST', '/api/v1/webhooks/slow', {});
  await asked.promise;
  const ended = service.stop();
  answer?.();
  expect((await answered).status).toBe(200);
  expect(await ended).toBe(0);
  await new Promise((resolve) => slow.close(resolve));
});
