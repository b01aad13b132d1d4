import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StepError } from '@millrace/core';
import { afterAll, expect, test } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { parseEgressAllow } from '../../src/outbound/egress-allow.ts';
import { counted, reached } from '../support/reached.ts';
import { spellingsOf } from './spellings.ts';

const servers: Server[] = [];
let connections = 0;
/** The forbidden targets: nobody may connect to them. */
const sentinels = await Promise.all(['127.0.0.1', '::1'].map((host) => listen(host, () => (connections += 1))));
/** An allowed server, whose path is the address to which it redirects. */
const guide = await listen('127.0.0.2', () => undefined, redirect);
const client = createOutboundClient({
  allowPrivate: false,
  allow: parseEgressAllow(['127.0.0.2']),
  ownPort: () => null,
});

afterAll(async () => {
  await client.close();
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Every status of a redirect, one after the other. */
const statuses = [301, 302, 303, 307, 308];
let redirects = 0;

function redirect(request: IncomingMessage, response: ServerResponse): void {
  redirects += 1;
  const location = decodeURIComponent(request.url?.slice(1) ?? '');
  // The bytes of UTF-8 as they are: a server of this kind does not check what it sends.
  const bytes = Buffer.from(location).toString('latin1');
  response.writeHead(statuses[redirects % statuses.length] ?? 302, { location: bytes }).end();
}

/** Listens on a free port, which it returns. */
async function listen(
  host: string,
  onConnection: () => void,
  onRequest: RequestListener = sayReached,
): Promise<number> {
  const server = createServer(onRequest);
  server.on('connection', onConnection);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

function sayReached(_request: IncomingMessage, response: ServerResponse): void {
  response.end('reached');
}

/** The code of the error, or `answered <status>`. */
async function outcomeOf(url: string): Promise<string> {
  return client.send({ method: 'GET', url, headers: {}, body: null }, new AbortController().signal).then(
    ({ status }) => `answered ${status}`,
    (error: StepError) => error.code,
  );
}

test('the test can fail: an allowed server is reached, and a sentinel counts its connections', async () => {
  expect(await outcomeOf(`http://127.0.0.2:${guide}/http:%2F%2F127.0.0.2:${guide}%2F`)).toBe('http_connection');
  expect(await fetch(`http://127.0.0.1:${sentinels[0]}/`).then((answer) => answer.text())).toBe('reached');
  expect(connections).toBe(1);
  connections = 0;
});

test('no spelling of a private address is reached, directly or by a redirect', async () => {
  const urls = sentinels.flatMap((port) => spellingsOf(port));
  const sent = urls.flatMap((url) => [url, `http://127.0.0.2:${guide}/${encodeURIComponent(url)}`]);
  const outcomes = new Map<string, number>();
  await Promise.all(
    sent.map(async (url) => {
      const outcome = await outcomeOf(url);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect([url, outcome]).toEqual([url, expect.stringMatching(/^(http_blocked|http_connection|config)$/)]);
    }),
  );
  expect(connections).toBe(0);
  // Most spellings are valid URLs that the policy rejects. If few were, the test would show little.
  expect(outcomes.get('http_blocked')).toBeGreaterThan(urls.length);
  expect(urls.length).toBeGreaterThanOrEqual(400);
  reached('P6', `${counted(urls.length)} spellings, directly and by redirect, 0 connections`);
});
