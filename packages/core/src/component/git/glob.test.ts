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

  it('with many stars takes little time, whatever the name', () => {
    const pattern = `${'*a'.repeat(127)}b`;
    const began = process.cpuUsage();
    for (let times = 0; times < 1000; times += 1) expect(matchesGlob(pattern, 'a'.repeat(255))).toBe(false);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000);
  });

  it('matches no name that is longer than those of branches', () => {
    expect(matchesGlob('**', 'a'.repeat(255))).toBe(true);
    expect(matchesGlob('**', 'a'.repeat(256))).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(120)}b`, 'a'.repeat(4_000_000))).toBe(false);
  });
});
