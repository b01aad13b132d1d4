import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { certificateKey, certificates } from './certificates.testkit.ts';
import { createOutboundClient, type OutboundClient } from './client.ts';

const servers: Server[] = [];
const clients: OutboundClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function get(url: string) {
  const client = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  clients.push(client);
  const request = { method: 'GET', url, headers: {}, body: null };
  return client.send(request, new AbortController().signal);
}

async function textAt(answer: RequestListener): Promise<unknown> {
  const { body } = await get(`http://127.0.0.1:${await listen(createServer(answer))}/`);
  return body.text();
}

describe('an answer', () => {
  const text = 'plain words, '.repeat(1_000);

  test.each([
    ['gzip', gzipSync(text)],
    ['GZip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity', Buffer.from(text)],
    [' gzip, identity', gzipSync(text)],
    ['br,GZIP', gzipSync(brotliCompressSync(text))],
    ['deflate, gzip', gzipSync(deflateRawSync(text))],
    ['none', Buffer.from(text)],
    ['UTF-8', Buffer.from(text)],
    ['gzip, aws-chunked', gzipSync(text)],
  ])('with the encoding %j is decoded', async (encoding, bytes) => {
    const received = await textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      for (const byte of [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]) response.write(byte);
      response.end();
    });
    expect(received).toBe(text);
  });

  test.each([
    ['gzip', 'plain'],
    ['gzip', gzipSync(text).subarray(0, 60)],
    ['deflate', 'plain'],
    ['deflate', deflateSync(text).subarray(0, 40)],
    ['br', 'plain'],
    ['zstd', 'plain'],
    ['deflate, gzip', gzipSync('plain')],
  ])('with the encoding %j and other data fails with that reason', async (encoding, bytes) => {
    const received = textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(bytes);
    });
    await expect(received).rejects.toMatchObject({
      code: 'http_connection',
      message: expect.stringMatching(
        /^The response from 127.0.0.1:\d+ is not valid data of its Content-Encoding, or is incomplete\.$/,
      ),
      retryable: true,
    });
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])('with the encoding %j and no body is empty', async (encoding) => {
    const received = await textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end();
    });
    expect(received).toBe('');
  });

  test.each([
    'compress',
    'gzip, rot13',
    'gzip, gzip, gzip, gzip',
  ])('with the unsupported encoding %j fails with that reason', async (encoding) => {
    const received = textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end('x');
    });
    await expect(received).rejects.toMatchObject({ code: 'http_connection', message: /which is not supported/ });
  });
});

describe('the text of an answer', () => {
  const xml = (encoding: string, text: string) => `<?xml version="1.0" encoding="${encoding}"?><a>${text}</a>`;

  const html = (head: string, text: string) => `<!doctype html><html><head>${head}</head><body>${text}</body></html>`;
  const charset = (name: string) => `<meta charset="${name}">`;

  test.each<[string, string, string, string]>([
    ['iso-8859-1', charset('iso-8859-1'), 'gr\xfc\xdfe', 'grüße'],
    ['windows-1251', charset('windows-1251'), '\xcf\xf0\xe8\xe2\xe5\xf2', 'Привет'],
    ['shift_jis', charset('shift_jis'), '\x93\xfa\x96\x7b', '日本'],
    ['an old form', "<META http-equiv='Content-Type' content='text/html; charset=windows-1251'>", '\xcf', 'П'],
    [
      'an old form in the other order',
      '<meta content="text/html;charset=koi8-r" http-equiv=content-type>',
      '\xf0',
      'П',
    ],
    ['bytes that are UTF-8, too', '<meta charset=windows-1251 />', '\xc3\xa4', 'Г¤'],
    ['a name that nothing has, not UTF-8', charset('klingon'), '\xe4', 'ä'],
    ['utf-16, which it cannot be', charset('utf-16le'), '\xc3\xa4', 'ä'],
    ['a comment before', `<!-- ${charset('koi8-r')} -->${charset('windows-1251')}`, '\xcf', 'П'],
    ['a tag in an attribute before', `<link title='${charset('koi8-r')}'>${charset('windows-1251')}`, '\xcf', 'П'],
    ['none of its own', '<meta name="charset" content="charset=windows-1251">', '\xcf', 'Ï'],
    ['one at byte 1,025', `<style>${'*'.repeat(1100)}</style>${charset('windows-1251')}`, '\xcf', 'Ï'],
  ])('as HTML is decoded by its <meta>: %s', async (_what, head, bytes, expected) => {
    const answer = (type: string, body: Buffer) => (_request: unknown, response: ServerResponse) => {
      response.setHeader('content-type', type);
      response.end(body);
    };
    const body = Buffer.from(html(head, bytes), 'latin1');
    expect(await textAt(answer('text/html', body))).toBe(html(head, expected));
    const inUtf8 = Buffer.from(html(head, 'ä'));
    expect(await textAt(answer('text/html; charset=utf-8', inUtf8))).toBe(html(head, 'ä'));
    const marked = Buffer.concat([Buffer.from('\uFEFF'), inUtf8]);
    expect(await textAt(answer('Text/HTML', marked))).toBe(html(head, 'ä'));
  });

  test.each<[string, string | Buffer, string]>([
    ['text/html; charset=ISO-8859-1', Buffer.from('gr\xfc\xdfe', 'latin1'), 'grüße'],
    ["text/plain; charset='windows-1252'", Buffer.from('\x80', 'latin1'), '€'],
    ['text/plain; charset=us-ascii', 'grüße', 'grüße'],
    ['text/plain; charset=klingon', 'grüße', 'grüße'],
    // No charset, and not UTF-8.
    ['text/plain', Buffer.from('gr\xfc\xdfe', 'latin1'), 'grüße'],
    ['application/json', Buffer.from('{"a":"\xfc"}', 'latin1'), '{"a":"ü"}'],
    ['text/csv', Buffer.from('\uFEFFa,ä', 'utf16le'), 'a,ä'],
    ['application/json; charset=utf-8', Buffer.from('\uFEFF{"n":1}', 'utf16le'), '{"n":1}'],
    ['text/plain', '\uFEFFa', 'a'],
    ['application/xml', Buffer.from(xml('ISO-8859-1', '\xe4'), 'latin1'), xml('ISO-8859-1', 'ä')],
    ['application/atom+xml', Buffer.from(xml('windows-1252', '\x80'), 'latin1'), xml('windows-1252', '€')],
    ['text/xml; charset=utf-8', xml('ISO-8859-1', 'ä'), xml('ISO-8859-1', 'ä')],
    ['text/plain', Buffer.from(xml('utf-16', '\xe4'), 'latin1'), xml('utf-16', 'ä')],
  ])('of type %s is decoded by its mark, its charset or its declaration', async (type, body, expected) => {
    const received = await textAt((_request, response) => {
      response.setHeader('content-type', type);
      response.end(body);
    });
    expect(received).toBe(expected);
  });
});

describe('a large answer', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const)('with the encoding %j that decodes to too much fails with that reason', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024));
    const received = textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(bomb);
    });
    await expect(received).rejects.toMatchObject({ code: 'http_too_large' });
  });

  test.each([
    ['deflate', deflateRawSync],
    ['deflate', deflateSync],
  ] as const)('of many pieces with the encoding %j is complete', async (encoding, compress) => {
    const large = Array.from({ length: 400_000 }, (_, index) => `${(index * 7919) % 10_007} `).join('');
    const received = await textAt((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(compress(large));
    });
    expect(received === large).toBe(true);
  });
});

describe('the headers of an answer', () => {
  test('contain cookies as a list', async () => {
    const cookies = ['a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT', 'b=2'];
    const port = await listen(
      createServer((_request, response) => {
        response.setHeader('set-cookie', cookies).setHeader('x-other', ['1', '2']).end();
      }),
    );
    const { headers, cookies: received } = await get(`http://127.0.0.1:${port}/`);
    expect([received, headers['x-other'], headers['set-cookie']]).toEqual([cookies, '1, 2', undefined]);
  });

  test.each([
    ['/caf\u00e9?q=\u00fc', '/caf%C3%A9?q=%C3%BC'],
    ['/%E4?a b', '/%E4?a%20b'],
  ])('may redirect to the address %j', async (location, expected) => {
    const port = await listen(
      createServer((request, response) => {
        if (request.url !== '/') return response.end(request.url);
        return response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
      }),
    );
    const { body } = await get(`http://127.0.0.1:${port}/`);
    expect(body.text()).toBe(expected);
  });
});

test('a redirect to two addresses is an error, unless they are the same', async () => {
  const port = await listen(
    createServer((request, response) => {
      if (request.url === '/two')
        return response
          .writeHead(
            302,
            [
              ['location', '/a'],
              ['location', '/b'],
            ].flat(),
          )
          .end();
      if (request.url === '/same')
        return response
          .writeHead(
            302,
            [
              ['location', '/a'],
              ['location', '/a'],
            ].flat(),
          )
          .end();
      return response.end(request.url);
    }),
  );
  expect((await get(`http://127.0.0.1:${port}/same`)).body.text()).toBe('/a');
  await expect(get(`http://127.0.0.1:${port}/two`)).rejects.toMatchObject({
    code: 'http_connection',
    message: 'The server redirected to several addresses: its answer has several Location headers.',
  });
});

describe('a connection', () => {
  const issuers = getCACertificates();
  afterEach(() => setDefaultCACertificates(issuers));

  test.each([
    ['selfSigned', false, /is not trusted: it is self-signed; .*NODE_EXTRA_CA_CERTS/],
    ['ofUnknownIssuer', false, /is not trusted: its issuer is not known.*NODE_EXTRA_CA_CERTS/],
    ['expired', true, /is not trusted: it has expired/],
    ['ofOtherHost', true, /is not trusted: it was issued for another host name/],
  ] as const)('to a server whose certificate is %s fails with that reason', async (name, isIssuerKnown, message) => {
    if (isIssuerKnown) setDefaultCACertificates([...issuers, certificates.issuer]);
    const server = createTlsServer({ key: certificateKey, cert: certificates[name] }, (_request, response) => {
      response.end();
    });
    const answer = get(`https://localhost:${await listen(server)}/`);
    await expect(answer).rejects.toMatchObject({ code: 'http_connection', message, retryable: false });
  });

  test.each([
    ['requires a certificate of its client', { requestCert: true }, /requires a certificate of its client/],
    [
      'requires one and has TLS 1.2',
      { requestCert: true, maxVersion: 'TLSv1.2' },
      /rejected the TLS handshake; it may require/,
    ],
    [
      'has only old ciphers',
      { ciphers: 'AES128-SHA@SECLEVEL=0', maxVersion: 'TLSv1.2' },
      /rejected the TLS handshake; it may require/,
    ],
    [
      'has only old versions of TLS',
      { ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' },
      /supports only old versions of TLS/,
    ],
  ] as const)('to a server that %s fails with that reason', async (_what, options, message) => {
    setDefaultCACertificates([...issuers, certificates.selfSigned]);
    const server = createTlsServer({ key: certificateKey, cert: certificates.selfSigned, ...options });
    const answer = get(`https://localhost:${await listen(server)}/`);
    await expect(answer).rejects.toMatchObject({ code: 'http_connection', message });
  });

  test('to a server without TLS, or that does not speak HTTP, fails with that reason', async () => {
    const plain = await listen(createServer((_request, response) => response.end()));
    await expect(get(`https://127.0.0.1:${plain}/`)).rejects.toMatchObject({
      message: expect.stringContaining('does not use TLS on this port; try http://'),
    });
    const mail = createServer().on('connection', (socket) => socket.end('220 mail.example ESMTP\r\n'));
    const other = await listen(mail);
    await expect(get(`http://127.0.0.1:${other}/`)).rejects.toMatchObject({
      message: expect.stringContaining('what the server sent is not HTTP'),
    });
  });
});
