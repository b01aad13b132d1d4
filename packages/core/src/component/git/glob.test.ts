import { describe, expect, it } from 'vitest';
import { matchesGlob } from './glob.ts';

describe('a pattern', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'maintenance', false],
    ['main', 'Main', false],
    ['', '', true],
    ['', 'main', false],
    ['release/*', 'release/1.2', true],
    ['release/*', 'release/', true],
    ['release/*', 'release/1/hotfix', false],
    ['release/**', 'release/1/hotfix', true],
    ['**', 'a/b/c', true],
    ['*', 'a/b', false],
    ['*-fix', 'login-fix', true],
    ['*-fix', 'login-fixes', false],
    ['v?.?', 'v1.2', true],
    ['v?.?', 'v10.2', false],
    ['a?b', 'a/b', false],
    ['a.c', 'abc', false],
    ['[a]*', '[a]b', true],
    ['größe/*', 'größe/xl', true],
    ['🌳*', '🌳-1', true],
    ['***', 'a/b', true],
  ])('%j and the name %j', (pattern, name, matches) => {
    expect(matchesGlob(pattern, name)).toBe(matches);
  });

  it('with many stars takes linear time', () => {
    expect(matchesGlob('*a'.repeat(100), `${'a'.repeat(5000)}b`)).toBe(false);
  });
});
