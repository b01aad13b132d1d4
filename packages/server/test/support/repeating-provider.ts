import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

type Repeat = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A provider that repeats everything it receives, in a way that the test chooses. */
export async function startProvider() {
  const seen: string[] = [];
  const state: { answer: Repeat } = { answer: (_request, response) => void response.end() };
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    seen.push(JSON.stringify([request.url, request.headers, body]));
    state.answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen, state };
}

/** Repeats the request in several encodings, as an answer of a model. */
export function repeating(status: number): Repeat {
  return (request, response, body) => {
    const words = `${Object.values(request.headers).join(' ')} ${request.url} ${body}`;
    const bytes = Buffer.from(words);
    const content = `${words} ${encodeURIComponent(words)} ${bytes.toString('base64')} ${bytes.toString('hex')}`;
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-repeated': encodeURIComponent(words.slice(0, 2000)),
    });
    const message = { role: 'assistant', content };
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const error = status === 200 ? null : { message: content };
    const answer = { error, choices: [{ message, finish_reason: 'stop' }], usage };
    // Escaped like JSON that may be embedded in a page.
    const escaped = (mark: string) => `\\u00${mark.charCodeAt(0).toString(16).toUpperCase()}`;
    response.end(JSON.stringify(answer).replace(/[+'<>&é]/g, escaped));
  };
}

/** Redirects. */
export function leadingTo(url: string): Repeat {
  return (_request, response) => void response.writeHead(302, { location: url }).end();
}

/** Redirects with the whole request in the address, as a server does that wants it back. */
export function leadingAlongTo(url: string): Repeat {
  return (request, response, body) => {
    const received = encodeURIComponent([request.url, ...Object.values(request.headers), body].join(' '));
    response.writeHead(302, { location: `${url}?received=${received}` }).end();
  };
}

/** Drops the connection. */
export const hangingUp: Repeat = (request) => void request.socket.destroy();

/** The messages of a channel of live events, as they arrive. */
export async function subscribe(url: string, channel: string): Promise<string[]> {
  const frames: string[] = [];
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const subscribed = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      frames.push(String(data));
      resolve();
    });
  });
  socket.send(JSON.stringify({ type: 'subscribe', channel }));
  await subscribed;
  return frames;
}
