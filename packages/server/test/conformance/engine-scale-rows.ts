import { part } from './row.ts';

/** Many runs: limits, order, schedules, retention, and users' code. */
export const engineScaleRows = [
  part('The engine: scale', 'engine.scale', [
    [
      'one-process',
      'one process does everything by default',
      'process/start: creates a key that only its owner may read, prints it once, prints a line that runs the example, and lists no workflow',
    ],
    [
      'limit.workflow',
      'a workflow may limit its concurrent runs (`concurrency`)',
      'concurrency: runs at most as many executions at once as its limit, and completes all of them',
      'concurrency: holds after the service is killed and restarted',
      'server/src/store/testsuite/concurrency: a limit is never exceeded, and no slot is lost, whatever happens to runs',
    ],
    [
      'limit.key',
      'or one for each value of its `concurrency_key` expression',
      'concurrency: runs one execution per key at once',
      'server/src/store/testsuite/concurrency: with keys, the limit applies to each key',
      'concurrency: starts nothing for a payload without a valid key',
    ],
    [
      'limit.waiting',
      'a waiting run does not count',
      'server/src/store/testsuite/concurrency: a run that waits holds no slot',
    ],
    [
      'priority',
      'a higher priority runs first',
      'server/src/store/testsuite/concurrency: a higher priority is claimed first',
    ],
    [
      'fair',
      'execution is fair between workflows',
      'server/src/store/testsuite/concurrency: workflows alternate, however many runs of one are waiting',
      'server/src/store/testsuite/concurrency: a workflow at its limit blocks no other, however many of its runs wait',
    ],
    [
      'queue',
      'if the bounded queue is full, it answers 503 with `Retry-After`, and starts nothing',
      'webhooks.accept: rejects runs when too many are waiting',
      'schedules: waits while too many runs are open',
      'server/src/services/acceptance/queue-pace: the pace of the queue is how fast runs have ended recently',
    ],
    [
      'rate',
      'above the rate limit of a webhook it answers 429',
      'webhooks.accept: accepts as many requests a minute as its trigger allows, and answers others with when to retry',
    ],
  ]),
  part('The engine: schedules', 'engine.schedule', [
    [
      'cron',
      'cron patterns fire in their time zone, once on days when clocks change',
      'schedules: starts a run at each of its times, with the payload',
      'schedules: fires by local time on the days when clocks change',
      'components/src/trigger-schedule: in spring, in %s, of %s',
      'components/src/trigger-schedule: in autumn, in %s, of %s',
      'components/src/schedule/cron-timetable: %s in %s after %s has the right times',
      'components/src/schedule/cron-timetable: are those of a check of every minute, forwards and backwards, near changes of clocks',
    ],
    [
      'interval',
      'intervals count from their anchor',
      'components/src/trigger-schedule: are counted from its anchor, however much time has passed',
    ],
    [
      'missed',
      'missed times are handled according to the policy',
      'schedules: handles missed times by the setting %s',
      'schedules: starts at most a hundred runs after a year',
    ],
    [
      'overlap',
      'an overlapping run is skipped, waits or runs in parallel',
      'schedules: is skipped, and counted',
      'schedules: waits for the earlier ones with overlap queue, in the order of times',
      'schedules: runs in parallel with overlap parallel',
    ],
    [
      'verbs',
      'a schedule is started, paused and stopped',
      'schedules: return the node, and enable or disable its schedule',
    ],
    [
      'once',
      'each time is fired once, with any number of processes',
      'schedules: fire each time once',
      'server/src/store/testsuite/schedules: fires a time once, whichever caller is first',
    ],
  ]),
  part('The engine: retention and secrets', 'engine.retention', [
    [
      'age',
      'executions are deleted 14 days after their end by default',
      'server/src/services/executions/retention: retention removes runs that are too old',
      'server/src/store/testsuite/retention: runs that ended too long ago are deleted with all their data, and the counts are updated',
      'server/src/ground/config: have defaults that listen on loopback only',
    ],
    [
      'count',
      'and above 10,000 per workflow, the oldest first',
      'server/src/services/executions/retention: each minute retention removes excess runs in batches',
      'server/src/store/testsuite/retention: the oldest runs over the limit are deleted',
      'server/src/ground/config: have defaults that listen on loopback only',
    ],
    [
      'minimum',
      'retention by number keeps every ended execution for an hour by default',
      'retention: the result of every execution of a busy workflow can be read for the minimum time, and only the newest longer',
      'server/src/store/testsuite/retention: runs that ended recently are kept although they are too many, and do not keep older ones',
      'server/src/ground/config: have defaults that listen on loopback only',
    ],
    [
      'open',
      'but never one that has not ended',
      'server/src/store/testsuite/retention: a run that has not ended is kept, however old, and does not prevent later ones from being deleted',
    ],
    [
      'file',
      'the database file shrinks',
      'server/src/store/sql/executions/retention: shrinks after its runs are deleted',
    ],
    [
      'secrets',
      'secrets are never in the journal',
      'canary: a secret is found nowhere except at its provider, not even in an exported text',
      'canary.variables: the value of a secret variable is found nowhere except at the hosts that may receive it',
    ],
  ]),
  part('The engine: code', 'engine.code', [
    [
      'languages',
      'a code node runs JavaScript, or TypeScript without its types',
      'code: computes its output from the input, the trigger and other nodes',
      'server/src/sandbox/sandbox: runs without its types',
    ],
    [
      'limits',
      'within limits on time, memory and output',
      'sandbox/hostile: end at their limit, with an error that names it',
      'code: ends with its step, at the time limit of the step and not of the sandbox',
    ],
    [
      'walls',
      'it has no access to files, network, environment, the parent process or other runs',
      'sandbox/hostile: do not succeed',
      'sandbox/hostile: there was no connection, no file, and no process larger than allowed',
      'server/src/sandbox/pool: never lets a process serve two workflows',
    ],
    [
      'unavailable',
      'it is rejected with a clear message if the sandbox cannot start',
      'server/src/sandbox/pool: reports that the sandbox cannot start if %s, and logs why',
      'server/src/sandbox/pool: reports that code cannot run if there is no engine for the machine',
    ],
  ]),
];
