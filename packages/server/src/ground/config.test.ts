import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const complaint = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
    return 'taken';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

describe('the settings', () => {
  test('have defaults that listen on loopback only', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 7411,
      publicUrl: null,
      trustProxy: [],
      maxBody: 1_048_576,
      maxWebhookBody: 5_242_880,
      sshKnownHostsFile: null,
      mcpServersFile: null,
      maxSteps: 10_000,
      maxRunSize: 67_108_864,
      commandsFile: null,
      dataDir: './data',
      databaseFile: null,
      apiKey: null,
      secretKey: null,
      newSecretKey: null,
      egressAllow: [],
      botApi: 'https://api.telegram.org',
      code: { limits: { seconds: 5, memoryMb: 128 }, processes: 2 },
      retentionDays: 14,
      retentionRuns: 10_000,
      retentionMinutes: 60,
      logLevel: 'info',
    });
  });

  test('list the trusted proxies, in the form that the server accepts', () => {
    const trustProxy = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1', '::ffff:10.0.0.0/104'];
    expect(readConfig({ MILLRACE_TRUST_PROXY: trustProxy.join(' , ') }).trustProxy).toEqual(trustProxy);
    expect(() => Fastify({ trustProxy })).not.toThrow();
  });

  test('treat an empty variable as unset', () => {
    expect(readConfig({ MILLRACE_PORT: '', MILLRACE_API_KEY: '' })).toEqual(readConfig({}));
  });

  test('name the database file after its scheme', () => {
    expect(readConfig({ MILLRACE_DATABASE_URL: 'sqlite:/srv/runs.db' }).databaseFile).toBe('/srv/runs.db');
  });

  test.each([
    ['MILLRACE_PUBLIC_URL', 'flows.example.com', 'must be a URL such as https://flows.example.com'],
    ['MILLRACE_PORT', 'many', 'must be a whole number from 0 to 65535'],
    ['MILLRACE_PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['MILLRACE_PORT', '80.5', 'must be a whole number from 0 to 65535'],
    ['MILLRACE_PORT', ' ', 'must be a whole number from 0 to 65535'],
    ['MILLRACE_PORT', '1e3', 'must be a whole number from 0 to 65535'],
    ['MILLRACE_CODE_SECONDS', '0', 'must be a whole number from 1 to 300'],
    ['MILLRACE_CODE_MEMORY', '8', 'must be a whole number from 16 to 2000'],
    ['MILLRACE_CODE_PROCESSES', 'all', 'must be a whole number from 1 to 64'],
    ['MILLRACE_MAX_BODY', '1MB', 'must be a whole number from 1024 to 16777216'],
    ['MILLRACE_MAX_WEBHOOK_BODY', '1023', 'must be a whole number from 1024 to 16777216'],
    ['MILLRACE_MAX_WEBHOOK_BODY', '16777217', 'must be a whole number from 1024 to 16777216'],
    ['MILLRACE_RETENTION_DAYS', '-1', 'must be a whole number from 0 to 36500'],
    ['MILLRACE_RETENTION_RUNS', 'all', 'must be a whole number from 0 to 100000000'],
    ['MILLRACE_RETENTION_MINUTES', '1h', 'must be a whole number from 0 to 10080'],
    ['MILLRACE_LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, silent'],
    ['MILLRACE_DATABASE_URL', 'postgres://db/x', 'must be sqlite:<file>; other databases are not supported yet'],
    ['MILLRACE_SECRET_KEY', 'short', 'must have at least 32 characters'],
  ])('reject %s=%s in one line that lists what is accepted', (name, value, reason) => {
    expect(complaint({ [name]: value })).toBe(`${name} ${reason}`);
  });

  test.each([
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.1 10.0.0.2',
    'true',
    '2',
    '*',
    'loopback',
  ])('reject %s as a trusted proxy', (value) => {
    expect(complaint({ MILLRACE_TRUST_PROXY: `127.0.0.1,${value}` })).toBe(
      `MILLRACE_TRUST_PROXY has '${value}', which is neither an address nor a network such as 10.0.0.0/8`,
    );
  });

  test.each(['0.0.0.0/0', '::/0', '::/00'])('reject trusting everyone, as with the proxy %s', (value) => {
    expect(complaint({ MILLRACE_TRUST_PROXY: value })).toContain('MILLRACE_TRUST_PROXY has');
  });

  test('never repeat a secret in a message', () => {
    expect(complaint({ MILLRACE_API_KEY: 'a b', MILLRACE_SECRET_KEY: 'hunter2' })).not.toMatch(/a b|hunter2/);
  });

  test('report all errors at once', () => {
    expect(complaint({ MILLRACE_PORT: 'x', MILLRACE_LOG_LEVEL: 'y' }).split('\n')).toHaveLength(2);
  });
});

describe('variables that are not settings', () => {
  test.each([
    ['MILLRACE_PROT', 'MILLRACE_PORT'],
    ['MILLRACE_RETENTION', 'MILLRACE_RETENTION_DAYS'],
    ['MILLRACE_port', 'MILLRACE_PORT'],
  ])('are rejected: %s, with the suggestion %s', (name, known) => {
    expect(complaint({ [name]: '1' })).toBe(`${name} is not a setting; the closest one is ${known}`);
  });

  test('are reported all at once', () => {
    expect(complaint({ MILLRACE_PROT: '1', MILLRACE_PORT: 'many' }).split('\n')).toHaveLength(2);
  });

  test('of a Kubernetes service with the same name are ignored, also instead of the port', () => {
    const links = (prefix: string) => ({
      [`${prefix}_SERVICE_HOST`]: '10.0.0.11',
      [`${prefix}_SERVICE_PORT`]: '7411',
      [`${prefix}_SERVICE_PORT_HTTP`]: '7411',
      [`${prefix}_PORT`]: 'tcp://10.0.0.11:7411',
      [`${prefix}_PORT_7411_TCP`]: 'tcp://10.0.0.11:7411',
      [`${prefix}_PORT_7411_TCP_PROTO`]: 'tcp',
      [`${prefix}_PORT_7411_TCP_PORT`]: '7411',
      [`${prefix}_PORT_7411_TCP_ADDR`]: '10.0.0.11',
    });
    const environment = { ...links('MILLRACE'), ...links('MILLRACE_WEB_1') };
    expect(readConfig(environment)).toEqual(readConfig({}));
    expect(readConfig({ ...environment, MILLRACE_PORT: '80' }).port).toBe(80);
  });

  test.each([
    'MILLRACE_SERVICE',
    'MILLRACE_PORT_TCP',
    'MILLRACE_WEB_PORT',
    'MILLRACE_SERVICES_HOST',
  ])('are rejected although they resemble those of Kubernetes: %s', (name) => {
    expect(complaint({ [name]: '1' })).toContain(`${name} is not a setting`);
  });

  test('of other programs are ignored', () => {
    expect(complaint({ MILLRACEX: '1', PATH: '/bin', MILLRACE_PROT: '' })).toBe('taken');
  });
});
