import { describe, expect, it } from 'vitest';
import { gitAddress, gitOrigin } from './git-address.ts';

describe('the address of a repository', () => {
  it.each([
    ['https://git.example/team/site.git', 'https://git.example/team/site.git', 'https://git.example'],
    ['http://git.example:8080/a', 'http://git.example:8080/a', 'http://git.example:8080'],
    ['ssh://git@Git.Example:2222/team/site.git', 'ssh://git@Git.Example:2222/team/site.git', 'ssh://git.example'],
    ['git@git.example:team/site.git', 'git@git.example:team/site.git', 'ssh://git.example'],
    ['ada@127.0.0.1:/srv/site 1.git', 'ada@127.0.0.1:/srv/site 1.git', 'ssh://127.0.0.1'],
    ['ssh://git@[::1]:22/a', 'ssh://git@[::1]:22/a', 'ssh://[::1]'],
  ])('%s is %s of %s', (text, location, origin) => {
    const address = gitAddress(text);
    expect(address).toMatchObject({ location });
    expect('url' in address && gitOrigin(address)).toBe(origin);
  });

  it.each([
    '',
    'site.git',
    '/srv/site.git',
    'file:///srv/site.git',
    'git://git.example/a',
    'ext::sh -c touch% /tmp/x',
    'ssh://git.example/a',
    'ssh://git:secret@git.example/a',
    'ssh://git@git.example',
    'ssh://git@-oProxyCommand=x/a',
    'ssh://-oProxyCommand=x@git.example/a',
    '-oProxyCommand=x@git.example:a',
    'git@-oProxyCommand=x:a',
    'git@git.example:a\nb',
    'git@git.example:a\ud800',
    'git@git.ex%61mple:a',
    'https://git:secret@git.example/a',
    'https://git.example/a?b',
  ])('cannot be %j', (text) => {
    expect(gitAddress(text)).toMatchObject({ issue: expect.stringContaining('must') });
  });
});
