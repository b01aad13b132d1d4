import { part } from './row.ts';

/** Events: the specification, and the additions of the interface. */
export const eventRows = [
  part('Events', 'spec.events', [
    [
      'channel',
      'one channel for each workflow: `workflow:<slug>`',
      'websocket: of a workflow publishes its changes, as the API shows them',
    ],
    ['edge_created', 'after POST of an edge', 'edges.create: publishes an event after the commit'],
    ['edge_updated', 'after PATCH of an edge', 'edges.change: publishes an event to subscribers'],
    ['edge_deleted', 'after DELETE of an edge', 'edges.change: answers 204 without a body, and publishes an event'],
    [
      'workflow_updated',
      'after PATCH of a workflow',
      'workflows.change: succeeds, publishes its event, and leaves version and updated_at unchanged',
    ],
  ]),
  part('WebSocket: additions of the interface', 'interface.live', [
    [
      'model-text',
      'event `token`: the text of models while it is generated',
      'tokens: a subscriber receives text of a model before the step has ended',
      'tokens: a broken stream is retried, and its text starts from the beginning',
    ],
    ['token', '`?token=<key>` or the header', 'websocket: accepts its token in the query or in a header'],
    [
      'token.bad',
      'an invalid token: accepted, then closed with 1008 `Invalid or missing token`',
      'websocket: with a wrong token is accepted, then closed with the reason',
    ],
    [
      'subscribe',
      '`subscribe` and `unsubscribe` are confirmed',
      'server/src/live/connection: subscribes, receives events, and unsubscribes',
      'websocket: publishes nothing after unsubscribing',
    ],
    [
      'ping',
      '`ping` after 30 seconds of silence, 10 s to answer',
      'server/src/live/connection: gets a ping after 30 idle seconds, and is closed after 10 seconds without an answer',
      'server/src/live/connection: stays open when it answers, and gets further pings',
    ],
    [
      'node_status.attempt',
      '`node_status` has `frame` and `attempt`',
      'executions.fields: events of a step contain its frame and attempt, like the log',
    ],
    [
      'unreadable',
      'a channel that the caller may not read: `error` `Workflow not found.`',
      'websocket: is not found by users who may not read the workflow or the execution',
    ],
    [
      'channels',
      '`workflow:<slug>` and `execution:<id>`',
      'websocket: has its own channel',
      'server/src/live/hub: of an execution reaches the channels of the execution and of its workflow',
    ],
    [
      'envelope',
      '`{type, channel, timestamp, seq, data}`',
      'server/src/live/hub: reaches the subscribers of its workflow in its envelope',
    ],
    [
      'seq',
      '`seq` numbers a workflow’s events',
      'server/src/live/hub: has a number that grows within its workflow and is higher than any of an earlier process',
    ],
    [
      'data.graph',
      'the data of graph events are the objects as the API shows them',
      'websocket: of a workflow publishes its changes, as the API shows them',
    ],
    [
      'data.runs',
      'runs are published step by step, each event with `execution_id`',
      'websocket: is published as it happens, in order, and consistent with the API',
      'websocket: that fails or is cancelled is published as such',
    ],
    [
      'data.interrupted',
      '`execution_interrupted` contains the node and its question',
      'executions.waits: a run that asks a question publishes an event',
    ],
    [
      'order',
      'events are published after the commit, in the order of commits',
      'edges.create: publishes an event after the commit',
      'runner/runner: publishes events in order, with the end last',
    ],
  ]),
];
