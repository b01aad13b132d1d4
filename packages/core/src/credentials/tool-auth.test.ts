import { describe, expect, it } from 'vitest';
import {
  allowedHostsIn,
  authConflict,
  endpointIn,
  isOpenEndpoint,
  readToolAuth,
  type ToolAuth,
  toolAuthIssue,
} from './tool-auth.ts';

const allowed_hosts = ['api.example'];
const schemes: readonly ToolAuth[] = [
  { scheme: 'bearer', token: 'a', allowed_hosts },
  { scheme: 'basic', username: 'me', password: 'a b:c', allowed_hosts },
  { scheme: 'header', name: 'X-Key', secret: 'a', allowed_hosts },
  { scheme: 'query', name: 'api key', secret: 'ä', allowed_hosts },
];

describe('the config of a tool credential', () => {
  it.each(schemes)('authenticates by $scheme', (config) => {
    expect(readToolAuth(config)).toEqual(config);
    expect(toolAuthIssue(config)).toBeNull();
  });

  it.each<[object, string]>([
    [{ ...schemes[0], token: 'a\nb' }, 'config.token: must be one line of Latin-1'],
    [{ ...schemes[0], token: '€' }, 'config.token: must be one line of Latin-1'],
    [{ ...schemes[1], username: 'a:b' }, 'config.username: must not contain a colon'],
    [{ ...schemes[1], password: '' }, 'config.password: must not be empty'],
    [{ ...schemes[2], name: 'a b' }, 'config.name: must be the name of a header'],
    [{ ...schemes[2], name: 'Content-Length' }, 'config.name: must be the name of a header'],
    [{ ...schemes[2], name: 'Content-Type' }, 'config.name: must be the name of a header'],
    [{ ...schemes[2], name: 'idempotency-key' }, 'config.name: must be the name of a header'],
    [{ ...schemes[3], secret: 'a\tb' }, 'config.secret: must be one line'],
    [{ ...schemes[3], name: '' }, 'config.name: must not be empty'],
    [{ scheme: 'digest', allowed_hosts }, 'config.scheme: must be one of'],
    [[], 'config: must be an object'],
  ])('does not authenticate with %j', (config, words) => {
    expect(readToolAuth(config as never)).toBeNull();
    expect(toolAuthIssue(config as never)).toContain(`does not say how to authenticate (${words}`);
  });

  it.each([
    ['api.example:8443', true],
    ['https://api.example', true],
    ['HTTP://[::1]:8080', true],
    ['api.example/v1', false],
    ['https://user@api.example', false],
    ['*.example', false],
    ['ftp://api.example', false],
    ['a b', false],
    ['', false],
  ])('allows the host %s: %s', (host, isAllowed) => {
    expect(readToolAuth({ scheme: 'bearer', token: 'a', allowed_hosts: [host] }) !== null).toBe(isAllowed);
  });

  it('may have any shape when its hosts are read', () => {
    expect(allowedHostsIn({ allowed_hosts: ['a', 1, 'b'] })).toEqual(['a', 'b']);
    for (const config of [null, [], { allowed_hosts: 'a' }, { allowed_hosts: null }, {}]) {
      expect(allowedHostsIn(config)).toEqual([]);
    }
  });
});

it('conflicts with a header or parameter of the same name in a request; header names ignore case', () => {
  const [bearer, basic, header, query] = schemes.map(
    (auth) => (headers: string[], parameters: string[]) => authConflict(auth, { headers, parameters }),
  );
  expect(bearer?.(['AUTHORIZATION'], [])).toBe("the header 'authorization'");
  expect(basic?.(['x-key'], ['authorization'])).toBeNull();
  expect(header?.(['x-kEY'], [])).toBe("the header 'x-key'");
  expect(query?.(['api key'], ['API key'])).toBeNull();
  expect(query?.([], ['a', 'api key'])).toBe("'api key' in the query");
});

it('may name the service, with or without a secret', () => {
  const endpoint = 'https://search.example/';
  const bearer = { scheme: 'bearer', token: 'abcdef', allowed_hosts: ['search.example'] };
  expect([isOpenEndpoint({ endpoint }), isOpenEndpoint({ endpoint, ...bearer })]).toEqual([true, false]);
  for (const config of [{ endpoint }, { endpoint, ...bearer }]) {
    expect([endpointIn(config), toolAuthIssue(config)]).toEqual([endpoint, null]);
  }
  expect(readToolAuth({ endpoint, ...bearer })).toEqual(bearer);
  expect(toolAuthIssue({ endpoint: 'search.example', ...bearer })).toContain('config.endpoint');
  expect(toolAuthIssue({ endpoint: 'file:///etc/passwd' })).toContain('config.endpoint');
  expect(endpointIn({ endpoint: 7 })).toBeNull();
});
