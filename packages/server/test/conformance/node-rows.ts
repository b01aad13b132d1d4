import { part } from './row.ts';

/** Nodes, as the interface defines them. */
export const nodeRows = [
  part('Nodes', 'interface.nodes', [
    [
      'config.common',
      'the common keys of `config` are always present',
      'nodes.create: answers 201 with every default, and all common config keys',
    ],
    [
      'config.extra',
      '`extra_config` is validated by the schema of its component: 422 naming the field',
      'nodes.create: answers 422 to %j, naming the field',
    ],
    ['list', 'GET is a flat array', 'conformance/nodes: lists the nodes of a workflow as a flat array'],
    [
      'create',
      'POST: 201, `node_created`',
      'nodes.create: answers 201 with every default, and all common config keys',
      'nodes.create: publishes an event, and counts the node',
    ],
    ['read', 'GET one', 'conformance/nodes: reads one as it was made'],
    [
      'update',
      'PATCH: 200, `node_updated`',
      'nodes.change: changes %s to %j and nothing else',
      'nodes.change: publishes an event, and updates updated_at',
    ],
    [
      'update.merge',
      'PATCH merges `config` and `extra_config` one level each; null removes a key of `extra_config`',
      'nodes.change: merges config and extra_config one level each',
      'nodes.change: removes the keys of extra_config that are null, and no others',
    ],
    [
      'delete',
      'DELETE: 204, `node_deleted {node_id}` after an `edge_deleted` for each of its edges',
      'nodes.change: answers 204, and publishes each deleted edge before the node',
    ],
    [
      'node-id.made',
      'without `node_id`: `<component_type>_` and 8 hex digits',
      'nodes.create: derives a name from the type if none is given',
    ],
    [
      'node-id.pattern',
      '`node_id` begins with a letter or `_`, then letters, digits, `_`, at most 255',
      'nodes.create: are answered with 422 naming %s if it is %j',
      'nodes.create: accept a name of 255 characters',
    ],
    [
      'node-id.duplicate',
      "one in use: 409 `Node with id '<node_id>' already exists.`",
      'nodes.create: rejects a name in use with 409',
      'nodes.change: rejects a name in use with 409',
    ],
    [
      'missing',
      '404 `Node not found.`',
      'nodes.change: answers 404 for %s, before it checks the body',
      'conformance/errors: $id: $says',
    ],
    [
      'rename',
      'renaming renames in edges and expressions, in one transaction',
      'nodes.change: renames it in its edges and in condition mappings, in one transaction',
      'nodes.change: renames it in the expressions that name it, including its own, and publishes each changed node',
    ],
    [
      'schedule',
      'POST schedule start, pause and stop of a `trigger_schedule`: 400 `Node is not a trigger_schedule.` for others',
      'schedules: return the node, and enable or disable its schedule',
      'schedules: answer 400 to %s of another node',
      'schedules: is shown on its node in every response with nodes',
    ],
  ]),
];
