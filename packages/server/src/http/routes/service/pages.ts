import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** What a page may load: its own files, and responses of this service. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The addresses of the web app, which all have the same document: the app reads the address itself. */
const pagePaths = [
  '/',
  '/login',
  '/setup',
  '/workflows',
  '/workflows/*',
  '/trash',
  '/settings/*',
  '/w/*',
  '/runs',
  '/runs/*',
  '/credentials',
  '/inbox',
  '/schedules',
] as const;

const built = fileURLToPath(new URL('../../../../../web/dist/', import.meta.url));
const unbuilt = fileURLToPath(new URL('../../../../../web/public/', import.meta.url));

/** Served instead of the app by a service that was started without building it. */
const notBuilt = 'The web app has not been built. Start Millrace with "npm start", which builds it.\n';

/** The web app. It is public because it contains no data. */
export function addPages(app: FastifyInstance): void {
  const index = existsSync(`${built}index.html`) ? readFileSync(`${built}index.html`) : null;
  if (index !== null) app.notFoundPage.send = (reply) => sendDocument(reply, index);
  app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, auth: 'none' };
      route.schema = { ...route.schema, hide: true };
    });
    await pages.register(fastifyStatic, {
      root: index === null ? unbuilt : built,
      // A route per file, created at startup.
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      globIgnore: ['index.html*', '.vite/**', 'assets/**', '**/*.{br,gz}'],
      setHeaders: (reply, path) => {
        reply.header('content-security-policy', policy);
        // The name of such a file contains the hash of its content.
        if (path.includes('/assets/')) reply.header('cache-control', 'public, max-age=31536000, immutable');
      },
    });
    if (index !== null) addAssets(pages);
    for (const url of pagePaths) {
      pages.get(url, (_request, reply) => {
        if (index === null) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
        return sendDocument(reply, index);
      });
    }
  });
}

/** One route for the many parts of the app: a route for each of them takes 5 MB of memory in total. */
function addAssets(pages: FastifyInstance): void {
  const folder = `${built}assets`;
  // The compressed variants of a file are no files of their own.
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !/\.(?:br|gz)$/.test(name)) : [];
  const known = new Set(names);
  pages.get<{ Params: { file: string } }>('/assets/:file', ({ params: { file } }, reply) =>
    // Only names that were listed at startup reach the file system.
    known.has(file) ? reply.sendFile(`assets/${file}`) : reply.callNotFound(),
  );
}

function sendDocument(reply: FastifyReply, index: Buffer): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('cache-control', 'no-cache')
    .send(index);
}
