import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import { exampleOf } from '@millrace/contract';
import { type Catalogue, Problem } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { componentSchemas } from './component-schemas.ts';
import { finishWith, type OperationNote, operationNote } from './document.ts';

const description = `Every request needs an API key: \`Authorization: Bearer <key>\`. The service's own pages use the session
of a browser instead. Bodies are JSON, timestamps UTC without a time zone. The slash at the end of a path is optional. An error's body is \`{"detail": …}\`.

Unknown query parameters and body keys are ignored, and the response header
\`Millrace-Warning\` names each one with the closest known name. With the request header
\`Prefer: handling=strict\` they are errors (422). Read-only fields of a resource may be sent back.`;

/** Options for generating the OpenAPI document from the routes and the schemas that validate their requests. */
export function openapiOptions(version: string, catalogue: Catalogue): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', version, description },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'millrace_session',
            description:
              'The session of a browser. The name of the cookie ends with the port, and begins with `__Host-` if the public address is https.',
          },
          // Only for webhooks: their senders cannot always set headers.
          apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
        },
      },
    },
    transform: documentRoute,
    transformObject: finishWith(componentSchemas(catalogue)),
  };
}

/** Adds what the schemas do not contain: whether a body is optional, and the examples, which named schemas lose. */
const documentRoute: typeof jsonSchemaTransform = (given) => {
  const { schema, url } = jsonSchemaTransform(given);
  if (given.schema === undefined || given.schema.hide === true) return { schema, url };
  const { body, response = {} } = given.schema;
  const { examples = [], params = {} } = given.route.config ?? {};
  const note: OperationNote = {
    isBodyOptional: body instanceof z.ZodType && body.safeParse(undefined).success,
    examples,
    params,
    answers: answerExamples(response as Readonly<Record<string, unknown>>),
  };
  return { schema: { ...schema, [operationNote]: note }, url };
};

function answerExamples(responses: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const found = Object.entries(responses).map(([status, schema]) => [
    status,
    schema instanceof z.ZodType ? exampleOf(schema) : undefined,
  ]);
  return Object.fromEntries(found.filter(([, example]) => example !== undefined));
}

/**
 * The page may only load the service's own scripts and styles and call its API. It sets style attributes when it
 * renders, and has no inline script.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where Swagger UI serves its files, with one route for every path below it. */
const staticFiles = '/docs/static/';

/**
 * Answers 404 unless the path is exactly that of a file: no other path of a request reaches the file system, where an
 * odd one would be an error of the server.
 */
function addStaticFileCheck(docs: FastifyInstance): void {
  const folder = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));
  const paths = new Set(readdirSync(fileURLToPath(folder)).map((file) => staticFiles + file));
  docs.addHook('onRequest', (request, _reply, done) => {
    const isFile = request.routeOptions.url !== `${staticFiles}*` || paths.has(request.url.split('?', 1)[0] ?? '');
    done(isFile ? undefined : new Problem('not_found', 'Not found'));
  });
}

/**
 * The documentation, as a document and as a page. Both are public: they contain nothing that the source code does not.
 */
export function addOpenapi(app: FastifyInstance): void {
  let text: string | undefined;
  app.route({
    method: 'GET',
    url: '/openapi.json',
    config: { auth: 'none' },
    schema: { hide: true },
    handler: async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    },
  });
  app.register(async (docs) => {
    // This context contains only the routes of the page.
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, auth: 'none' };
    });
    addStaticFileCheck(docs);
    await docs.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      staticCSP: pagePolicy,
      theme: { title: 'Millrace API' },
      uiConfig: {
        // Without the header bar of Swagger UI.
        layout: 'BaseLayout',
        // Runs in the page, into which the text of this function is copied.
        requestInterceptor: (request) =>
          Object.assign(request, { headers: { ...request.headers, Prefer: 'handling=strict' } }),
      },
    });
  });
}
