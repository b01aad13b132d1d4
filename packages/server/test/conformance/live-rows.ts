import { part } from './row.ts';

/** Replay, other ways to authenticate, and limits. */
export const liveRows = [
  part('Live events and limits', 'interface.limits', [
    [
      'replay',
      '`subscribe` with `after` replays the missed events, up to the last 1,000',
      'websocket: receives what it missed, exactly as it was published',
      'server/src/live/hub: stores the last 1,000 events',
    ],
    [
      'restart',
      'events do not survive a restart; `complete: false` and another `epoch` show that some are missing',
      'durable/live-restart: a client learns from its subscription that it missed events at a restart: %s',
      'live-followers: a client that reads again when complete is false has the graph of a GET after any changes, breaks and restarts',
      'server/src/live/hub: %s, even if the numbers overlap',
    ],
    [
      'public-viewers',
      'public viewers of a workflow see no data of runs: neither the last run and error in `schedule_job`, nor ' +
        'pinned outputs, nor the payloads of schedules, in a GET, an export or an event',
      'schedules: shows public viewers its next time, and nothing of the runs it started',
      'matrix/public-viewers: in %s',
      'matrix/public-viewers: and shows all of it to members',
      'public-viewers: events show public viewers exactly what a GET shows them, and nothing of runs',
    ],
    [
      'public-calls',
      'a sub-workflow that its caller may only read because it is public reveals neither errors nor pinned outputs',
      'executions.subworkflows: does not reveal why its execution failed',
      'executions.subworkflows: does not use its pinned outputs',
    ],
    ['auth-message', 'the token may be sent in the first message', 'websocket: accepts its token in the first message'],
    [
      'end',
      'a connection is closed within a second after its key ends',
      'websocket: follows within a second after its key ends, even without events',
    ],
    [
      'slow',
      'buffers for slow readers are bounded',
      'server/src/live/connection: gets no more events, gets resync_required when it reads again, and can replay what it missed',
      'server/src/live/connection: is closed after reading nothing for 10 seconds',
    ],
    [
      'webhook-rate',
      'webhooks have their own rate limit: 429 with `Retry-After`',
      'webhooks.accept: accepts as many requests a minute as its trigger allows, and answers others with when to retry',
    ],
    [
      'methods',
      'a method that a path does not support: 405',
      'limits: is answered with 405 and the supported ones: %s %s',
    ],
    [
      'graph-size',
      'the nodes and edges of a workflow have at most 8 MiB of JSON in total: 422 with the size',
      'graph-size: rejects what makes a workflow too large, with the size, and changes nothing',
      'graph-size: lets a workflow that is too large become smaller',
    ],
    [
      'sizes',
      'body sizes are configurable',
      'server/src/ground/config: reject %s=%s in one line that lists what is accepted',
    ],
  ]),
];
