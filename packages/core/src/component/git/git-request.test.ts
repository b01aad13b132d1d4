import { describe, expect, it } from 'vitest';
import { gitBranchIssue, gitPathIssue } from './git-request.ts';

describe('a path', () => {
  it.each([
    'README.md',
    'src/a b.ts',
    '-n',
    '.github/workflows/ci.yml',
    'größe.txt',
    'a.git/b',
    '.gitignore',
  ])('%j can be used', (path) => {
    expect(gitPathIssue(path)).toBeNull();
  });

  it.each(
    [
      ['', '/etc/passwd', '../a', 'a/../b', 'a//b', 'a/', './a', 'a\nb', 'a\0b', 'a\\b', '.git/hooks/post-update'],
      [
        '.GIT/config',
        'a/.git/config',
        'git~1/config',
        '.git /x',
        '.git./x',
        '.g\u200cit/config',
        '.git::$DATA',
        '.git',
      ],
      ['a'.repeat(1025)],
    ].flat(),
  )('%j cannot be used', (path) => {
    expect(gitPathIssue(path)).not.toBeNull();
  });
});

describe('a branch', () => {
  it.each(['main', 'release/1.2', 'größe', 'a-b_c', 'feature/#12'])('%j can be used', (branch) => {
    expect(gitBranchIssue(branch)).toBeNull();
  });

  it.each(
    [
      ['', '-main', '--upload-pack=x', '/main', 'a..b', 'a b', 'a:b', 'a~1', 'a^', 'a?', 'a*', 'a[', 'a\\b', 'a@{1}'],
      ['a//b', 'a/', 'a.', '.a', 'a/.b', 'a.lock', 'a.lock/b', '@', 'a\nb', '../main', 'b'.repeat(256)],
    ].flat(),
  )('%j cannot be used', (branch) => {
    expect(gitBranchIssue(branch)).not.toBeNull();
  });
});
