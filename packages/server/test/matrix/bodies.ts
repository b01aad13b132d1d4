import type { Scene } from './scene.ts';
import type { Endpoint } from './whole-app.ts';

/**
 * Bodies for requests that cannot send the example of their route, because it names objects that the scene does not
 * have, or a name that can be used once.
 */
const bodies: Readonly<Record<string, object | ((scene: Scene) => object)>> = {
  'POST /api/v1/workflows/': ({ freshName }) => ({ name: 'New', slug: freshName }),
  'POST /api/v1/workflows/batch-delete/': ({ slug }) => ({ slugs: [slug] }),
  'POST /api/v1/workflows/import/': ({ freshName }) => ({ yaml_str: 'name: New', slug: freshName }),
  'POST /api/v1/workflows/:slug/edges/': { source_node_id: 'start', target_node_id: 'later' },
  'POST /api/v1/workflows/:slug/graph/': { version: 2, operations: [] },
  'POST /api/v1/workflows/:slug/publish/': { force: true },
  'POST /api/v1/workflows/:slug/collaborators/': { username: 'stranger', role: 'viewer' },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /api/v1/credentials/batch-delete/': { ids: [] },
  'POST /api/v1/variables/': ({ freshName }) => ({ name: freshName, value: 1 }),
  'POST /api/v1/workflows/:slug/variables/': ({ freshName }) => ({ name: freshName, value: 1 }),
  'POST /api/v1/executions/batch-delete/': { execution_ids: [] },
  // The runner is not started, so nothing may wait for a result.
  'POST /api/v1/workflows/:slug/execute/': {},
  // A user who has a password must send it.
  'PATCH /api/v1/users/me/': { password: 'short' },
  'POST /api/v1/users/': ({ freshName }) => ({ username: freshName }),
};

/** The body of a request in a scene: the first example of the route, unless that cannot be used. */
export function bodyOf({ method, path, examples }: Endpoint, scene: Scene): object | undefined {
  const body = bodies[`${method} ${path}`] ?? (examples[0] as object | undefined);
  return typeof body === 'function' ? body(scene) : body;
}
