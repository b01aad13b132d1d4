import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/** How the OpenAPI document is made from the routes. */
export function openapiOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: { openapi: '3.1.0', info: { title: 'Millrace', version } },
    transform: jsonSchemaTransform,
  };
}
