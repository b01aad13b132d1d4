/** What a step does with a repository. */
export const gitOperations = ['clone', 'pull', 'commit', 'push', 'diff'] as const;
export type GitOperation = (typeof gitOperations)[number];

/** Who makes a commit. */
export interface GitAuthor {
  readonly name: string;
  readonly email: string;
}

/** A request of a step to a repository. */
export interface GitRequest {
  readonly operation: GitOperation;
  /** An address of http, https or ssh without secrets. */
  readonly url: string;
  /** Null: the default branch of the repository. */
  readonly branch: string | null;
  /** How many commits of the branch are read. */
  readonly depth: number;
  /** The files whose contents are read, or to which a diff is limited. */
  readonly paths: readonly string[];
  /** The new contents of files; null deletes one. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly author: GitAuthor;
  /** Whether a commit is pushed. */
  readonly push: boolean;
  /** The name of a repository that the steps of one run share; null for one that only this step has. */
  readonly workspace: string | null;
}

/** Why a path of a file in a repository cannot be used, as the end of a sentence; null if it can be used. */
export function gitPathIssue(path: string): string | null {
  if (path === '' || path.length > maxGitPath) return `must have 1 to ${maxGitPath} characters`;
  if (/[\p{Cc}\\]/u.test(path)) return 'must have no control characters and no backslashes';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return "must be relative to the repository, without '..' and empty parts";
  }
  // Names that file systems take for `.git` as well.
  const isOwn = parts.some((part) => /^(?:\.git|git~\d+)[ .]*(?::.*)?$/i.test(part.replace(/\p{Cf}/gu, '')));
  return isOwn ? "must not be in '.git'" : null;
}

/** Longer than the paths of file systems may be. */
const maxGitPath = 1024;

/** Why a name of a branch cannot be used, as the end of a sentence; null if it can be used. */
export function gitBranchIssue(branch: string): string | null {
  const isName =
    branch.length <= maxGitBranch &&
    /^[^\p{Cc}\s~^:?*[\\]+$/u.test(branch) &&
    !/^[-/]|\.\.|@\{|\/\/|[/.]$/.test(branch) &&
    branch !== '@' &&
    branch.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
  return isName ? null : 'is not a name of a branch';
}

const maxGitBranch = 255;
