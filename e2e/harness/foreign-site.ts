import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site of somebody else on this machine, with an empty page. */
export class ForeignSite {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ForeignSite> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Foreign site</title><link rel="icon" href="data:,"><h1>Foreign site</h1>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ForeignSite(server);
  }

  /** Its address under a name of this machine. The host of the service is the same site for a browser, another is not. */
  at(host: '127.0.0.1' | 'localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** What a page of another site tries. The result names what it could do: a response that it could read, an open socket. */
export const attacks = `async ({ service, slug }) => {
  const done = [];
  const attempt = async (name, act) => {
    try {
      if (await act()) done.push(name);
    } catch {}
  };
  const api = service + '/api/v1/';
  const body = JSON.stringify({ name: 'Foreign', slug: 'foreign' });
  const writes = [
    ['POST', 'workflows/', body],
    ['POST', 'workflows/' + slug + '/execute/', '{}'],
    ['POST', 'webhooks/' + slug, '{}'],
    ['PATCH', 'workflows/' + slug + '/', '{"name":"Foreign"}'],
    ['DELETE', 'workflows/' + slug + '/', undefined],
    ['POST', 'users/me/keys/', '{"name":"foreign"}'],
    ['DELETE', 'auth/session/', undefined],
  ];
  for (const path of ['workflows/', 'executions/', 'credentials/', 'auth/session/', 'auth/setup/', 'users/me/keys/']) {
    await attempt('read ' + path, async () => (await (await fetch(api + path, { credentials: 'include' })).text()) !== '');
  }
  for (const [method, path, content] of writes) {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      for (const mode of ['cors', 'no-cors']) {
        const headers = { 'content-type': type };
        await attempt([method, path, type, mode].join(' '), async () => {
          const response = await fetch(api + path, { method, mode, headers, body: content, credentials: 'include' });
          return response.type !== 'opaque';
        });
      }
    }
    if (content !== undefined) navigator.sendBeacon(api + path, content);
    await new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.name = 'target' + Math.random();
      frame.onload = resolve;
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', enctype: 'text/plain', action: api + path, target: frame.name });
      const field = document.createElement('input');
      // As text/plain, the name and value of the field together are the JSON.
      Object.assign(field, { name: (content ?? '{}').slice(0, -1) + (content === '{}' ? '"x":"' : ',"x":"'), value: '"}' });
      form.append(field);
      document.body.append(frame, form);
      form.submit();
    });
  }
  await attempt('WebSocket', () => new Promise((resolve) => {
    const socket = new WebSocket(service.replace('http', 'ws') + '/ws/');
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  }));
  await attempt('EventSource', () => new Promise((resolve) => {
    const source = new EventSource(api + 'executions/', { withCredentials: true });
    source.onopen = () => resolve(true);
    source.onerror = () => { source.close(); resolve(false); };
  }));
  await attempt('script', () => new Promise((resolve) => {
    const before = Object.keys(window).length;
    const script = document.createElement('script');
    script.src = api + 'workflows/';
    script.onload = script.onerror = () => resolve(Object.keys(window).length !== before);
    document.body.append(script);
  }));
  await attempt('frame', () => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = service + '/workflows';
    frame.onload = () => {
      try {
        resolve(frame.contentDocument !== null);
      } catch {
        resolve(false);
      }
    };
    document.body.append(frame);
  }));
  return done;
}`;
