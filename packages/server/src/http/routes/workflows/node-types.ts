import { componentCatalogue, presentComponent } from '@millrace/contract';
import { type Catalogue, commonSchemaOf, configSchemaOf } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { addRoute, JsonText } from '../../plumbing/route.ts';

/** The endpoint of the component catalogue. */
export function addNodeTypes(app: FastifyInstance, catalogue: Catalogue): void {
  const entries = [...catalogue].map(([type, entry]) => {
    return [type, presentComponent(entry, { own: configSchemaOf(entry), common: commonSchemaOf(entry) })];
  });
  const text = new JsonText(JSON.stringify(Object.fromEntries(entries)));
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/workflows/node-types/',
    operationId: 'listNodeTypes',
    summary: 'Lists all node types with their ports and configuration',
    tag: 'Workflows',
    access: 'user',
    success: { status: 200, schema: componentCatalogue },
    handle: async () => text,
  });
}
