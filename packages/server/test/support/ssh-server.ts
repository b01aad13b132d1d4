import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findSshd } from '../../../../scripts/sshd.mjs';
import { freePort } from './free-port.ts';

/** Why no ssh server can be started; null if one can. */
export const noSshServer = findSshd() === null ? 'sshd is not installed: apt-get install openssh-server' : null;

/** The program sshd on this machine, which lets the owner of one key use git, and nothing else. */
export class SshServer {
  /** The private key that the server accepts. */
  readonly key: string;
  readonly user = userInfo().username;
  /** The public key of the server. */
  readonly hostKey: string;
  readonly knownHosts: string;
  readonly port: number;
  /** What the server wrote to its log. */
  log = '';
  readonly #close: () => Promise<void>;

  private constructor(folder: string, port: number) {
    this.port = port;
    this.key = newKey(join(folder, 'user'));
    newKey(join(folder, 'host'));
    this.knownHosts = join(folder, 'known_hosts');
    this.hostKey = readFileSync(join(folder, 'host.pub'), 'utf8');
    this.trust('127.0.0.1', this.hostKey);
    const config = join(folder, 'sshd_config');
    writeFileSync(config, configOf(folder, port));
    // As root, it runs a part of itself in this folder.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
    const child = spawn(findSshd() ?? 'sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => {
      this.log += chunk;
    });
    this.#close = async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    };
  }

  static async start(folder: string): Promise<SshServer> {
    const server = new SshServer(folder, await freePort());
    for (let attempt = 0; !(await accepts(server.port)); attempt += 1) {
      if (attempt > 200) throw new Error(`sshd does not start: ${server.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return server;
  }

  /** The known hosts have this key of a host and no other. */
  trust(host: string, publicKey: string): void {
    writeFileSync(this.knownHosts, `[${host}]:${this.port} ${publicKey}`);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Creates a pair of keys. Returns the private one. */
export function newKey(file: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
  return readFileSync(file, 'utf8');
}

function configOf(folder: string, port: number): string {
  return [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'AuthenticationMethods publickey',
    'PermitRootLogin prohibit-password',
    'ForceCommand git-shell -c "$SSH_ORIGINAL_COMMAND"',
    'LogLevel VERBOSE',
  ].join('\n');
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
