import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepError } from '@millrace/core';

/** How the program ssh reaches a server. */
export interface SshLogin {
  readonly url: URL;
  /** The address to which the host of the URL resolved when the outbound policy was checked. */
  readonly address: string;
  /** The private key in a format that ssh reads. */
  readonly key: string;
  /** The operator's file with the keys of the servers. */
  readonly knownHosts: string;
}

const folderPrefix = 'millrace-ssh-';

/**
 * Calls `act` with the environment in which git starts ssh. The key and the configuration are files that only this user
 * can read, and they are deleted afterwards. ssh reads no other configuration, and asks nobody.
 * @throws StepError `git_unavailable` if the known hosts cannot be read
 */
export async function withSsh<Result>(
  login: SshLogin,
  act: (environment: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  try {
    const [config, key, hosts] = ['config', 'key', 'known_hosts'].map((name) => join(folder, name));
    await writeFile(key ?? '', `${login.key.replace(/\r\n?/g, '\n').trimEnd()}\n`, { mode: 0o600 });
    await copyFile(login.knownHosts, hosts ?? '').catch(() => {
      throw new StepError('git_unavailable', 'The file MILLRACE_SSH_KNOWN_HOSTS of the operator cannot be read.');
    });
    await writeFile(config ?? '', configOf(login, { key: key ?? '', hosts: hosts ?? '' }), { mode: 0o600 });
    return await act({
      GIT_ALLOW_PROTOCOL: 'ssh',
      GIT_SSH_VARIANT: 'ssh',
      // Git passes this to a shell, which reads the path from the environment, whatever characters it has.
      GIT_SSH_COMMAND: 'exec ssh -F "$MILLRACE_SSH_CONFIG"',
      MILLRACE_SSH_CONFIG: config ?? '',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds without an answer after which a connection is given up. */
const silentSeconds = 30;

function configOf({ url, address }: SshLogin, files: { readonly key: string; readonly hosts: string }): string {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isUsual = url.port === '' || url.port === '22';
  const lines = [
    ['HostName', address],
    // The name under which the known hosts have the key of the server.
    ['HostKeyAlias', isUsual ? host : `[${host}]:${url.port}`],
    ['UserKnownHostsFile', quoted(files.hosts)],
    ['GlobalKnownHostsFile', '/dev/null'],
    ['StrictHostKeyChecking', 'yes'],
    ['CheckHostIP', 'no'],
    ['UpdateHostKeys', 'no'],
    ['IdentityFile', quoted(files.key)],
    ['IdentitiesOnly', 'yes'],
    ['IdentityAgent', 'none'],
    ['PreferredAuthentications', 'publickey'],
    ['BatchMode', 'yes'],
    ['ForwardAgent', 'no'],
    ['ForwardX11', 'no'],
    ['ClearAllForwardings', 'yes'],
    ['PermitLocalCommand', 'no'],
    ['ControlMaster', 'no'],
    ['ControlPath', 'none'],
    ['ConnectTimeout', silentSeconds],
    ['ServerAliveInterval', silentSeconds / 2],
    ['ServerAliveCountMax', 2],
  ];
  return `${['Host *', ...lines.map(([name, value]) => `  ${name} ${value}`)].join('\n')}\n`;
}

/** A path in a configuration of ssh, which replaces words that begin with a percent sign. */
function quoted(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

/** Deletes the files of services that were killed. */
export async function removeLeftSshFiles(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => {
    const [, pid] = /^millrace-ssh-(\d+)-/.exec(name) ?? [];
    // In a container, the service has the same pid after each start.
    return pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid)));
  });
  // Those of other users remain.
  await Promise.all(
    left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
