import type { FastifyInstance } from 'fastify';

/** Records what one route does. */
export interface RouteUse {
  /** A request arrived. */
  begin(): void;
  /** Work for a request of the route has the event loop. */
  occupy(): void;
  /** A request was answered, or its client disconnected. */
  end(): void;
}

/** Records which routes are in use and which has the event loop, so that a stall of the process can be attributed. */
export interface RouteRecord {
  /** Adds a route by its name, such as `POST /api/v1/workflows/`. */
  add(name: string): RouteUse;
}

/** Records the use of all routes that are added later. */
export function addRouteRecord(app: FastifyInstance, record: RouteRecord): void {
  app.addHook('onRoute', (route) => {
    // Fastify adds HEAD to each GET, with the hooks of the GET.
    if (route.method === 'HEAD') return;
    const use = record.add(`${String(route.method)} ${route.url}`);
    route.onRequest = [
      (_request, reply, done) => {
        use.begin();
        reply.raw.once('close', use.end);
        done();
      },
      ...listOf(route.onRequest),
    ];
    const occupies = (_request: unknown, _reply: unknown, done: () => void): void => {
      use.occupy();
      done();
    };
    // The body is checked in the same turn as the first, and the answer is written in that of the second.
    route.preHandler = [occupies, ...listOf(route.preHandler)];
    route.onSend = [(request, reply, _payload, done) => occupies(request, reply, done), ...listOf(route.onSend)];
  });
}

function listOf<Hook>(hooks: Hook | Hook[] | undefined): Hook[] {
  if (hooks === undefined) return [];
  return Array.isArray(hooks) ? hooks : [hooks];
}
