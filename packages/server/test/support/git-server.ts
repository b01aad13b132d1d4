import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A git server on this machine: the program `git http-backend`, with one repository. */
export class GitServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-git-server-'));
  /** The headers of all requests. */
  readonly seen: IncomingMessage['headers'][] = [];
  /** The `Authorization` that requests must have; null for none. */
  password: string | null = null;
  /** Answers instead of git. */
  answer: ((response: ServerResponse) => void) | null = null;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#receive(request, response));
    this.git('init', '--quiet', '--bare', '--initial-branch=main', this.bare);
    this.git('-C', this.bare, 'config', 'http.receivepack', 'true');
    this.git('clone', '--quiet', this.bare, this.work);
  }

  static async start(): Promise<GitServer> {
    const server = new GitServer();
    server.commit({ 'README.md': '# Site\n', 'version.txt': '1\n' });
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get bare(): string {
    return join(this.folder, 'site.git');
  }

  get work(): string {
    return join(this.folder, 'work');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/site.git`;
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { env: { ...process.env, ...identity }, encoding: 'utf8' }).trim();
  }

  /** What the repository has at a revision. */
  show(revision: string): string {
    return this.git('-C', this.bare, 'show', '--no-patch', '--format=%H %an <%ae> %at %s', revision);
  }

  /** Somebody else pushes files. */
  commit(files: Readonly<Record<string, string>>, branch = 'main'): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(this.work, path, '..'), { recursive: true });
      writeFileSync(join(this.work, path), text);
    }
    this.git('-C', this.work, 'add', '--all');
    this.git('-C', this.work, 'commit', '--quiet', '-m', `Change ${Object.keys(files).join(', ')}`);
    this.git('-C', this.work, 'push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
    return this.git('-C', this.work, 'rev-parse', 'HEAD');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true });
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push(request.headers);
    if (this.answer !== null) this.answer(response);
    else if (this.password !== null && request.headers.authorization !== this.password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else {
      this.#runBackend(request, response);
    }
  }

  #runBackend(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.origin);
    const { headers } = request;
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer.subarray(0, end).toString().split('\r\n');
      const fields = lines.map((line) => line.split(': ', 2) as [string, string]);
      const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
      for (const [name, value] of fields) if (name !== 'Status') response.setHeader(name, value);
      response.writeHead(Number.parseInt(status, 10)).end(answer.subarray(end + 4));
    });
  }
}
