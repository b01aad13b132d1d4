import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers with the document of the web app, which explains that there is no such page; null without a web app. */
    notFoundPage: { send: ((reply: FastifyReply) => FastifyReply) | null };
  }
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Handles requests without a route: 405 with the allowed methods for a known path, otherwise 404. */
export function addNotFound(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const name of typeof method === 'string' ? [method] : method) path.methods.add(name);
    paths.set(url, path);
  });
  app.decorate('notFoundPage', { send: null });
  // Fastify rejects a QUERY without a Content-Type before it looks for a route, and no route has this method.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.method === 'QUERY') answer([...paths.values()], request, reply);
    else done();
  });
  app.setNotFoundHandler((request, reply) => {
    const { send } = app.notFoundPage;
    if (send !== null && isOfBrowser(request)) return send(reply.code(404));
    return answer([...paths.values()], request, reply);
  });
}

/** Whether a browser asked for a page. An address of the API has no page, also in a browser. */
function isOfBrowser({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || /^\/(api|ws|health)(\/|\?|$)/.test(url)) return false;
  return headers.accept?.includes('text/html') === true;
}

function answer(paths: readonly KnownPath[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [address = ''] = request.url.split('?', 1);
  const known = paths.filter(({ pattern }) => pattern.test(address));
  const methods = new Set(known.flatMap(({ methods: own }) => [...own]));
  // A path that supports the method but has no route is one below a route for files.
  if (known.length === 0 || methods.has(request.method)) return reply.code(404).send({ detail: 'Not found' });
  return reply
    .code(405)
    .header('allow', [...methods].sort().join(', '))
    .send({ detail: 'Method not allowed' });
}

/** The path of a route as a pattern: a parameter is one segment, and the final slash is optional. */
function patternOf(url: string): RegExp {
  const segments = url
    .replace(/\/$/, '')
    .split('/')
    .map((segment) => {
      if (segment.startsWith(':')) return '[^/]+';
      return segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    });
  return new RegExp(`^${segments.join('/')}/?$`);
}
