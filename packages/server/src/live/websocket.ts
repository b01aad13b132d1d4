import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import websocketPlugin from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CancelTimer, Timers } from '../ground/clock.ts';
import { closings } from './closings.ts';
import { Connection, type ConnectionPorts } from './connection.ts';
import { Connections } from './connections.ts';
import type { Principal } from './principal.ts';
import { ReplayBudget } from './replay-budget.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who opens a WebSocket; `wrong` for a bad key; null without a key, and for any other request. */
    principal: Principal | 'wrong' | null;
  }
}

interface WebSocketPorts extends Omit<ConnectionPorts, 'admit' | 'identify' | 'cut' | 'mayReplay'> {
  /** The owner of the key in the query or the header; null without a key, because it may come in the first message. */
  readonly authenticate: (request: FastifyRequest) => Promise<Principal | 'wrong' | null>;
  /** The owner of the key in a first message; null for a wrong key. */
  readonly identify: (token: string, address: string) => Promise<Principal | null>;
  /** Called when anyone's permissions change. */
  readonly onAccessChanged: (callback: () => void) => void;
  /** Whether the page that opens the socket belongs to the service, or the client is not a page. */
  readonly isOwnPage: (request: FastifyRequest) => boolean;
}

/** No valid message of a client is larger. */
const maxMessageBytes = 64 * 1024;
/** A handshake that takes longer than this is not completed. */
const handshakeMs = 5000;
/** How long clients have to close their side when the service stops. */
const farewellMs = 1000;

/** The endpoint of live events. */
export async function addWebSocket(app: FastifyInstance, ports: WebSocketPorts): Promise<void> {
  const connections = new Connections(ports.timers);
  const replays = new ReplayBudget(ports.clock);
  const mayReplay: ConnectionPorts['mayReplay'] = ({ id }, events) => replays.take(id, events);
  ports.onAccessChanged(() => connections.recheck());
  const admit: ConnectionPorts['admit'] = (connection, principal) => connections.admit(connection, principal);
  const handshakes = watchHandshakes(app.server);
  app.decorateRequest('principal', null);
  await app.register(websocketPlugin, {
    options: {
      maxPayload: maxMessageBytes,
      // Compression needs 300 KB and more per connection, and most events are small.
      perMessageDeflate: false,
    },
    // A protocol error of the client: ws has already closed the socket with the right code.
    errorHandler: (error, _socket, request) => request.log.debug({ err: error }, 'websocket error'),
    preClose: async () => {
      for (const socket of handshakes) socket.destroy();
      await sendClose(app, connections, ports.timers);
    },
  });
  // The plugin's hooks apply only to routes that are added after it, in a context that waits for it.
  await app.register(async (own) => {
    own.route({
      method: 'GET',
      url: '/ws/',
      // The token is checked here, but the result is sent after the handshake: browsers can read a close code, not a
      // 401.
      config: { auth: 'none' },
      schema: { hide: true },
      preValidation: async (request, reply) => {
        if (!ports.isOwnPage(request))
          return reply.code(403).send({ detail: 'Requests from other web sites are not accepted.' });
        // Before the handshake, so that no message can arrive before there is a listener.
        request.principal = await ports.authenticate(request);
        return undefined;
      },
      handler: (_request, reply) => {
        return reply.code(426).header('upgrade', 'websocket').send({ detail: 'This is a WebSocket endpoint.' });
      },
      wsHandler: (socket, request) => {
        handshakes.delete(request.raw.socket);
        if (request.principal === 'wrong') return socket.close(...closings.token);
        const connection = new Connection(socket, request.principal, {
          ...ports,
          admit,
          mayReplay,
          cut: () => request.raw.socket.resetAndDestroy(),
          identify: (token) => ports.identify(token, request.ip),
        });
        connections.add(connection);
        socket.once('close', () => connections.remove(connection));
      },
    });
  });
}

/**
 * The sockets of upgrade requests that are not answered yet. Node's HTTP server no longer manages such a socket: if a
 * hook or route rejects the request, the socket must be closed here.
 */
function watchHandshakes(server: Server): Set<Duplex> {
  const handshakes = new Set<Duplex>();
  server.on('upgrade', (_request, socket: Socket) => {
    handshakes.add(socket);
    socket.once('close', () => handshakes.delete(socket));
    // ws removes the timeout from the sockets that it accepts.
    socket.setTimeout(handshakeMs, () => socket.destroy());
  });
  return handshakes;
}

async function sendClose(app: FastifyInstance, connections: Connections, timers: Timers): Promise<void> {
  const { clients } = app.websocketServer;
  const closed = [...clients].map((client) => new Promise<void>((resolve) => client.once('close', () => resolve())));
  for (const connection of connections.all) connection.close('stopping');
  let cancel: CancelTimer = () => undefined;
  const patience = new Promise<void>((resolve) => {
    cancel = timers.after(farewellMs, resolve);
  });
  await Promise.race([Promise.all(closed), patience]);
  cancel();
  for (const client of clients) client.terminate();
  app.websocketServer.close();
}
