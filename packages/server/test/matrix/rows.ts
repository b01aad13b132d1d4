import { administers, everybody, keeps, open, owns, type Row, reads, starts, writes } from './row.ts';

const workflow = '/api/v1/workflows/:slug/';

/**
 * The permission matrix: a row for each endpoint of the service. A new endpoint needs a row here; if its path has a new
 * parameter, that needs a value in `scene.ts`.
 */
export const rows: Readonly<Record<string, Row>> = {
  // Workflows
  'GET /api/v1/workflows/': everybody(200),
  'POST /api/v1/workflows/': everybody(201, ({ freshName }) => ({ name: 'New', slug: freshName })),
  'POST /api/v1/workflows/batch-delete/': everybody(204, ({ slug }) => ({ slugs: [slug] })),
  'GET /api/v1/workflows/node-types/': everybody(200),
  'POST /api/v1/workflows/import/': everybody(201, ({ freshName }) => ({ yaml_str: 'name: New', slug: freshName })),
  'POST /api/v1/workflows/validate-dsl/': everybody(200, { yaml_str: 'name: New' }),
  [`GET ${workflow}`]: reads(200),
  [`PATCH ${workflow}`]: writes(200, { name: 'Other' }),
  [`DELETE ${workflow}`]: owns(204),
  [`POST ${workflow}validate/`]: reads(200),
  [`GET ${workflow}export/`]: reads(200),
  'GET /api/v1/trash/': everybody(200),
  'POST /api/v1/trash/:workflow_id/restore/': keeps(200),
  'DELETE /api/v1/trash/:workflow_id/': keeps(204),

  // Nodes and edges
  [`GET ${workflow}nodes/`]: reads(200),
  [`POST ${workflow}nodes/`]: writes(201, { component_type: 'notes' }),
  [`GET ${workflow}nodes/:node_id/`]: reads(200),
  [`PATCH ${workflow}nodes/:node_id/`]: writes(200, { label: 'Other' }),
  [`DELETE ${workflow}nodes/:node_id/`]: writes(204),
  // The scene's node is not a schedule.
  [`POST ${workflow}nodes/:node_id/schedule/start/`]: writes(400),
  [`POST ${workflow}nodes/:node_id/schedule/pause/`]: writes(400),
  [`POST ${workflow}nodes/:node_id/schedule/stop/`]: writes(400),
  [`GET ${workflow}edges/`]: reads(200),
  [`POST ${workflow}edges/`]: writes(201, { source_node_id: 'start', target_node_id: 'later' }),
  [`PATCH ${workflow}edges/:edge_id/`]: writes(200, { priority: 2 }),
  [`DELETE ${workflow}edges/:edge_id/`]: writes(204),
  [`POST ${workflow}graph/`]: writes(200, { version: 2, operations: [] }),
  [`GET ${workflow}versions/`]: reads(200),
  [`GET ${workflow}versions/:version/`]: reads(200),
  [`POST ${workflow}versions/:version/restore/`]: writes(200),
  [`POST ${workflow}publish/`]: writes(200, { force: true }),
  [`POST ${workflow}unpublish/`]: writes(200),

  // Collaborators
  [`GET ${workflow}collaborators/`]: reads(200),
  [`POST ${workflow}collaborators/`]: owns(201, { username: 'stranger', role: 'viewer' }),
  [`PATCH ${workflow}collaborators/:username/`]: owns(200, { role: 'editor' }),
  [`DELETE ${workflow}collaborators/:username/`]: owns(204),

  // Credentials are global
  'GET /api/v1/credentials/': everybody(200),
  'POST /api/v1/credentials/': everybody(201, { name: 'New', credential_type: 'tool' }),
  'POST /api/v1/credentials/batch-delete/': everybody(204, { ids: [] }),
  'GET /api/v1/credentials/:credential_id/': everybody(200),
  'PATCH /api/v1/credentials/:credential_id/': everybody(200, { name: 'Other' }),
  'DELETE /api/v1/credentials/:credential_id/': everybody(204),
  'POST /api/v1/credentials/:credential_id/test/': everybody(200),
  'GET /api/v1/credentials/:credential_id/models/': everybody(200),
  'GET /api/v1/credentials/:credential_id/usage/': everybody(200),

  // Variables: of the instance for admins, of a workflow for its editors
  'GET /api/v1/variables/': administers(200),
  'POST /api/v1/variables/': administers(201, ({ freshName }) => ({ name: freshName, value: 1 })),
  'GET /api/v1/variables/:name/': administers(200),
  'PATCH /api/v1/variables/:name/': administers(200, { value: 2 }),
  'DELETE /api/v1/variables/:name/': administers(204),
  [`GET ${workflow}variables/`]: writes(200),
  [`POST ${workflow}variables/`]: writes(201, ({ freshName }) => ({ name: freshName, value: 1 })),
  [`GET ${workflow}variables/:name/`]: writes(200),
  [`PATCH ${workflow}variables/:name/`]: writes(200, { value: 2 }),
  [`DELETE ${workflow}variables/:name/`]: writes(204),

  // State
  [`GET ${workflow}state/:key/`]: writes(200),
  [`PUT ${workflow}state/:key/`]: writes(200, { value: 1 }),
  [`DELETE ${workflow}state/:key/`]: writes(204),

  // Executions
  'GET /api/v1/executions/': everybody(200),
  'POST /api/v1/executions/batch-delete/': everybody(204, { execution_ids: [] }),
  'GET /api/v1/executions/:execution_id/': reads(200),
  'POST /api/v1/executions/:execution_id/cancel/': writes(200),
  'POST /api/v1/executions/:execution_id/retry/': writes(409),
  'POST /api/v1/executions/:execution_id/replay/': writes(409, { from_node: 'start' }),
  // The execution of the scene is not waiting.
  'POST /api/v1/executions/:execution_id/resume/': writes(409, { node_id: 'ask', confirmed: true }),
  // The scene's token is invalid.
  'GET /api/v1/callbacks/:token': open(404),
  'POST /api/v1/callbacks/:token': open(404, {}),
  'GET /api/v1/answers/:token': open(404),
  'POST /api/v1/answers/:token': open(404, {}),
  [`POST ${workflow}execute/`]: writes(200, {}),

  // Chats: the workflow of the scene has no chat trigger, and nobody has a default workflow
  [`POST ${workflow}chat/`]: writes(422, { text: 'Hello' }),
  [`GET ${workflow}chat/history/`]: reads(200),
  [`DELETE ${workflow}chat/history/`]: reads(204),
  'POST /api/v1/chat/': everybody(404, { text: 'Hello' }),
  'POST /api/v1/webhooks/:workflow_slug': starts(200, {}),
  'GET /api/v1/webhooks/:workflow_slug': starts(405),
  'PUT /api/v1/webhooks/:workflow_slug': starts(405, {}),
  'PATCH /api/v1/webhooks/:workflow_slug': starts(405, {}),
  'DELETE /api/v1/webhooks/:workflow_slug': starts(405),

  // Users and keys
  'GET /api/v1/auth/me/': everybody(200),
  'GET /api/v1/users/me/': everybody(200),
  'PATCH /api/v1/users/me/': everybody(422, { password: 'short' }),
  'POST /api/v1/auth/token/': open(401, { username: 'nobody', password: 'a guess' }),
  'GET /api/v1/users/': administers(200),
  'POST /api/v1/users/': administers(201, ({ freshName }) => ({ username: freshName })),
  'PATCH /api/v1/users/:username/': administers(200, { is_admin: true }),
  'DELETE /api/v1/users/:username/': administers(204),
  'GET /api/v1/users/me/keys/': everybody(200),
  'POST /api/v1/users/me/keys/': everybody(201, { name: 'New' }),
  'DELETE /api/v1/users/me/keys/:key_id/': keeps(204),

  // Public: the service's health, its documentation and its pages
  'GET /docs/components/': open(200),
  'GET /docs/components/:type': open(200),
  'GET /reference.css': open(200),
  'GET /health/': open(200),
  'GET /openapi.json': open(200),
  'GET /docs': open(200),
  'GET /docs/json': open(200),
  'GET /docs/yaml': open(200),
  'GET /docs/static/*': open(200),
  'GET /docs/static/index.html': open(302),
  'GET /docs/static/swagger-initializer.js': open(200),
  'GET /': open(200),
  'GET /index.html': open(200),
  'GET /style.css': open(200),
  'GET /health.js': open(200),
  'GET /favicon.svg': open(200),
  'GET /ws/': open(426),
};
