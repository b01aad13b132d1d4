import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** What a page may load: its own files, and responses of this service. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The pages of the web package. They are public because they contain no data. */
export function addPages(app: FastifyInstance): void {
  app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, auth: 'none' };
      route.schema = { ...route.schema, hide: true };
    });
    await pages.register(fastifyStatic, {
      root: fileURLToPath(new URL('../../../../../web/public/', import.meta.url)),
      // A route per file, created at startup: no path of a request reaches the file system.
      wildcard: false,
      cacheControl: false,
      setHeaders: (reply) => reply.header('content-security-policy', policy),
    });
  });
}
