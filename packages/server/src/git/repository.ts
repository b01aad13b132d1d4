import { isUtf8 } from 'node:buffer';
import { type GitAuthor, type Instant, type Json, type JsonObject, StepError, textStart } from '@millrace/core';
import { directorySize } from './directory-size.ts';
import { type GitCall, runGit } from './program.ts';
import { gitError, type Remote, settingsOf } from './remote.ts';

/** Bytes of one repository, with everything in it. */
const maxRepository = 200 * 1024 * 1024;
/** Bytes of memory of each process of git: three times what it takes for a repository that is as large as one may be. */
export const maxMemory = 512 * 1024 * 1024;
/** Files that a result lists. */
const maxListed = 10_000;
/** Bytes of contents, and of a diff, in one result. */
const maxContents = 1024 * 1024;

/** A change of files, and its commit. */
export interface NewCommit {
  /** The new contents of files; null deletes one. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly author: GitAuthor;
  readonly at: Instant;
}

/** Limits of a repository, in bytes. */
interface RepositoryOptions {
  readonly signal: AbortSignal;
  readonly maxSize?: number | undefined;
  readonly maxMemory?: number | undefined;
}

/**
 * A copy of one branch of a repository, without a work tree: files are read from and written to the objects of git, so
 * no symbolic link, submodule, filter, attribute or hook of the repository has an effect on this machine.
 */
export class Repository {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #remote: Remote;
  readonly #maxSize: number;
  readonly #maxMemory: number;

  constructor(folder: string, remote: Remote, options: RepositoryOptions) {
    this.#folder = folder;
    this.#remote = remote;
    this.#signal = options.signal;
    this.#maxSize = options.maxSize ?? maxRepository;
    this.#maxMemory = options.maxMemory ?? maxMemory;
  }

  async init(): Promise<void> {
    // No template: it could contain hooks.
    await this.#run({ args: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main'] });
  }

  /** The default branch of the remote repository. @throws StepError `git_failed` if it has none */
  async defaultBranch(): Promise<string> {
    const text = await this.#reach(['ls-remote', '--symref', '--', this.#remote.location, 'HEAD']);
    const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(text)?.[1];
    if (branch !== undefined) return branch;
    throw new StepError('git_failed', 'The repository has no default branch: it is empty, or set the branch.');
  }

  /** Reads the newest commits of a branch; null: those since the last time. @throws StepError */
  async fetch(branch: string, depth: number | null): Promise<void> {
    const ref = `+refs/heads/${branch}:refs/remotes/origin/${branch}`;
    const options = [
      ...(depth === null ? [] : [`--depth=${depth}`]),
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      '--quiet',
    ];
    await this.#reach(['fetch', ...options, '--', this.#remote.location, ref]);
    await this.#checkSize();
  }

  /** Makes the branch what the remote one is. */
  async reset(branch: string): Promise<void> {
    await this.#run({ args: ['update-ref', `refs/heads/${branch}`, `refs/remotes/origin/${branch}`] });
  }

  /** Adds the remote commits to the branch. @throws StepError `git_conflict` if it has others */
  async fastForward(branch: string): Promise<void> {
    const [own, theirs] = [await this.idOf(`refs/heads/${branch}`), await this.idOf(`refs/remotes/origin/${branch}`)];
    if (own === theirs || (await this.#isBefore(theirs, own))) return;
    if (!(await this.#isBefore(own, theirs))) {
      const message = `The workspace has commits on '${branch}' that the remote branch does not have: push them first.`;
      throw new StepError('git_conflict', message);
    }
    await this.reset(branch);
  }

  /** The id of a commit. @throws StepError `git_failed` */
  async idOf(ref: string): Promise<string> {
    return (await this.#text(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])).trim();
  }

  /** What is known about a commit. */
  async describe(id: string): Promise<JsonObject> {
    // `show` compares the trees even if it shows no patch, which takes gigabytes for a hostile tree.
    const format = '--format=%an%x00%ae%x00%aI%x00%B';
    const text = await this.#text(['log', '--max-count=1', '--no-patch', '--no-notes', format, id, '--']);
    const [name = '', email = '', date = '', message = ''] = text.split('\0');
    return { commit: id, author: { name, email }, date, message: message.trimEnd() };
  }

  /** The paths of all files of a commit. */
  async list(id: string): Promise<{ readonly files: readonly string[]; readonly cut: boolean }> {
    const text = await this.#text(['ls-tree', '-r', '-z', '--name-only', '--full-tree', id]);
    return pathsIn(text);
  }

  /** The contents of files as text; null for a file that is not text. @throws StepError `git_failed` */
  async read(id: string, paths: readonly string[]): Promise<JsonObject> {
    const contents: Record<string, Json> = Object.create(null);
    let size = 0;
    for (const path of paths) {
      const { code, output } = await this.#attempt({ args: ['cat-file', 'blob', `${id}:${path}`] });
      if (code !== 0) throw new StepError('git_failed', `The commit has no file '${path}'.`);
      size += output.length;
      if (size > maxContents) {
        throw new StepError('git_failed', `The files of 'paths' have more than 1 MiB together: name fewer.`);
      }
      contents[path] = isUtf8(output) ? output.toString() : null;
    }
    return contents;
  }

  /** The commit with the changed files after a commit; the same commit if no file changes. */
  async commit(parent: string, { files, message, author, at }: NewCommit): Promise<string> {
    const tree = await this.treeWith(parent, files);
    if (tree === (await this.#text(['rev-parse', '--verify', '--quiet', `${parent}^{tree}`])).trim()) return parent;
    const date = `${Math.floor(at / 1000)} +0000`;
    const environment = {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: date,
    };
    const args = ['commit-tree', '--no-gpg-sign', '-p', parent, '-F', '-', tree];
    return (await this.#run({ args, environment, input: `${message}\n` })).toString().trim();
  }

  /** The tree of a commit with changed files. */
  async treeWith(parent: string, files: NewCommit['files']): Promise<string> {
    const environment = { GIT_INDEX_FILE: `${this.#folder}/index` };
    await this.#run({ args: ['read-tree', parent], environment });
    const lines: string[] = [];
    for (const [path, text] of Object.entries(files)) {
      if (text === null) {
        lines.push(`0 ${'0'.repeat(40)}\t${path}\0`);
        continue;
      }
      const blob = (await this.#run({ args: ['hash-object', '-w', '--stdin'], input: text })).toString().trim();
      lines.push(`${await this.#modeOf(parent, path)} ${blob}\t${path}\0`);
    }
    await this.#run({ args: ['update-index', '-z', '--index-info'], environment, input: lines.join('') });
    await this.#checkSize();
    return (await this.#run({ args: ['write-tree'], environment })).toString().trim();
  }

  /** How two commits or trees differ, as a patch, and the changed paths. */
  async diff(before: string, after: string, paths: readonly string[]): Promise<JsonObject> {
    const options = ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules'];
    const ends = ['--end-of-options', before, after, '--', ...paths];
    const { files, cut } = pathsIn(await this.#text([...options, '--name-only', '-z', ...ends]));
    const patch = await this.#text([...options, '-p', ...ends]);
    return { files, diff: textStart(patch, maxContents), cut: cut || patch.length > maxContents };
  }

  /** The first parent of a commit that was read; the empty tree if there is none. */
  async ancestor(id: string, generations: number): Promise<string> {
    const text = await this.#text(['rev-list', '--first-parent', `--max-count=${generations + 1}`, id]);
    const ids = text.split('\n').filter(Boolean);
    if (ids.length > generations) return ids[generations] ?? id;
    return (await this.#run({ args: ['hash-object', '-w', '-t', 'tree', '--stdin'], input: '' })).toString().trim();
  }

  async setBranch(branch: string, id: string): Promise<void> {
    await this.#run({ args: ['update-ref', `refs/heads/${branch}`, id] });
  }

  /** Pushes a commit to a branch. @throws StepError `git_conflict` if the branch has other commits */
  async push(branch: string, id: string): Promise<void> {
    const options = ['--quiet', '--no-verify', '--no-signed', '--recurse-submodules=no'];
    await this.#reach(['push', ...options, '--', this.#remote.location, `${id}:refs/heads/${branch}`]);
  }

  async #isBefore(one: string, other: string): Promise<boolean> {
    return (await this.#attempt({ args: ['merge-base', '--is-ancestor', one, other] })).code === 0;
  }

  /** A program stays one; everything else that is written becomes an ordinary file. */
  async #modeOf(parent: string, path: string): Promise<string> {
    const text = await this.#text(['ls-tree', '-z', '--full-tree', parent, '--', path]);
    return text.startsWith('100755 ') ? '100755' : '100644';
  }

  async #checkSize(): Promise<void> {
    if ((await directorySize(this.#folder)) <= this.#maxSize) return;
    const limit = Math.floor(this.#maxSize / 1024 / 1024);
    throw new StepError('git_failed', `The repository has more than ${limit} MiB: read fewer commits with 'depth'.`);
  }

  /** Runs a command that connects to the remote repository. */
  async #reach(args: readonly string[]): Promise<string> {
    const settings = settingsOf(this.#remote);
    const { environment } = this.#remote;
    return (await this.#run({ args, settings, environment, watch: () => this.#checkSize() })).toString();
  }

  async #text(args: readonly string[]): Promise<string> {
    return (await this.#run({ args })).toString();
  }

  async #run(call: Omit<GitCall, 'folder' | 'signal' | 'maxMemory'>): Promise<Buffer> {
    const { code, output, errors } = await this.#attempt(call);
    if (code === 0) return output;
    throw gitError(errors, this.#remote.url);
  }

  async #attempt(call: Omit<GitCall, 'folder' | 'signal' | 'maxMemory'>) {
    const end = await runGit({ ...call, folder: this.#folder, signal: this.#signal, maxMemory: this.#maxMemory });
    if (end.code !== 0 && isOutOfMemory(end.errors)) throw outOfMemory(this.#maxMemory);
    return end;
  }
}

/** The first paths of a list that ends each with a zero: a hostile tree has millions. */
function pathsIn(text: string): { readonly files: readonly string[]; readonly cut: boolean } {
  const files = text.split('\0', maxListed + 1).filter((path) => path !== '');
  return { files: files.slice(0, maxListed), cut: files.length > maxListed };
}

function isOutOfMemory(errors: string): boolean {
  return /out of memory|cannot allocate memory/i.test(errors);
}

function outOfMemory(maxBytes: number): StepError {
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  const message = `Git needed more than ${limit} of memory: the repository has too many files or branches. Name fewer paths, or read fewer commits with 'depth'.`;
  return new StepError('git_failed', message);
}
