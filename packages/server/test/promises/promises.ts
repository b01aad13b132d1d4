import type { ServicePromise } from './promise.ts';

const journeys = 'e2e/operating.journeys.test.ts';
const durable = 'packages/server/test/durable';
const api = 'packages/server/test/api';

/** Every promise of `docs/promises.md`, in its order. The numbers are permanent: one that is withdrawn is not reused. */
export const promises: readonly ServicePromise[] = [
  {
    id: 'P1',
    text: 'No request is answered with 5xx, ends the process, or gets an answer that its schema does not allow.',
    tests: ['packages/server/test/fuzz/fuzz.test.ts'],
    ci: { figure: '2,000 random requests, more than 30 % answered with 2xx, none with 5xx', environment: {} },
    release: { figure: '20,000 requests, every endpoint answered with 2xx', environment: { FUZZ_REQUESTS: '20000' } },
  },
  {
    id: 'P2',
    text: 'No YAML document holds the service up, not even as the first request of a new process.',
    tests: [`${api}/yaml-bombs.test.ts`],
    ci: { figure: 'more than 60 documents and 150 mutations, at most 1 s of processor time each', environment: {} },
    release: { figure: '5,000 mutations, 250 ms each', environment: { BOMB_MUTANTS: '5000', BOMB_MS: '250' } },
  },
  {
    id: 'P3',
    text: 'An execution that was acknowledged is never lost, whenever the process is killed.',
    tests: [`${durable}/kill.test.ts`],
    ci: { figure: '10 kills under load, 0 lost, 0 unfinished, no effect twice', environment: {} },
    release: {
      figure: '100 kills, half of the restarts within 2 s',
      environment: { KILL_ROUNDS: '100', KILL_RESTART_MS: '2000' },
    },
  },
  {
    id: 'P4',
    text: 'An interrupted write leaves whole transactions: a log that is cut off at any byte contains everything that was synced before.',
    tests: ['packages/server/src/store/sql/crash.test.ts'],
    ci: { figure: '50 cut logs, each opens and is consistent', environment: {} },
    release: { figure: '5,000 cut logs', environment: { CUT_LOGS: '5000' } },
  },
  {
    id: 'P5',
    text: 'Hostile code ends at its limit and reaches no file, network, variable or other execution.',
    tests: ['packages/server/test/sandbox/hostile.test.ts'],
    ci: { figure: 'at least 200 scripts, 2 at once, none escapes', environment: {} },
    release: {
      figure: 'every script, 10 at once, each ends at most 500 ms after its limit',
      environment: { SANDBOX_EVERY: '1', SANDBOX_LANES: '10', SANDBOX_LIMIT_MS: '1000', CLOCK_SLACK: '1' },
    },
  },
  {
    id: 'P6',
    text: 'A workflow reaches neither the service itself nor, unless it is allowed, a private address, by any spelling or redirect.',
    tests: ['packages/server/test/promises/addresses.test.ts'],
    ci: { figure: '400 spellings, directly and by redirect, 0 connections', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P7',
    text: 'A stored secret is found in no answer, event, log, export or file of the service, neither as it is nor in a usual encoding.',
    tests: [`${api}/canary.test.ts`, `${api}/canary.variables.test.ts`],
    ci: { figure: 'more than 40 secrets, 0 found', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P8',
    text: 'A credential that is read with masks, edited and sent back keeps its secrets.',
    tests: [`${api}/credentials.masks.test.ts`],
    ci: { figure: '10,000 sequences of edits by two users, 0 secrets changed', environment: {} },
    release: { figure: '100,000 sequences', environment: { MASK_SEQUENCES: '100000' } },
  },
  {
    id: 'P9',
    text: 'A secret is sent only to the origin for which it was entered.',
    tests: [`${api}/credentials.origin.test.ts`, `${api}/http-requests.credentials.test.ts`],
    ci: { figure: 'moved addresses and redirects, 0 secrets at another origin', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P10',
    text: 'Every endpoint is guarded, and the object of another user is answered like a missing one.',
    tests: [`${api}/matrix.test.ts`],
    ci: { figure: 'every endpoint with every kind of caller', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P11',
    text: 'Under more load than it can do, the service answers every request, loses nothing it acknowledged, and continues to perform executions.',
    tests: ['packages/server/test/promises/overload.test.ts'],
    ci: { figure: '400 connections that never pause, for 3 s: every request answered, 0 lost', environment: {} },
    release: {
      figure:
        'the same for 60 s, executions performed at 5 % or more of the pace of a queue without new requests, at most 400 MB more memory',
      environment: { OVERLOAD_FULL: '1' },
    },
  },
  {
    id: 'P12',
    text: 'Clients that send slowly are disconnected and do not delay others.',
    tests: ['packages/server/test/slow/slow-clients.test.ts'],
    ci: { figure: '100 slow clients with shortened limits, all closed', environment: {} },
    release: {
      figure: '500 slow clients, all closed within 40 s, others wait at most twice as long',
      environment: { SLOW_FULL: '1' },
    },
  },
  {
    id: 'P13',
    text: 'Subscribers that do not read take little memory and do not delay the events of others.',
    tests: ['packages/server/test/slow/slow-clients.test.ts'],
    ci: { figure: '20 such subscribers, less than 150 MB, all closed', environment: {} },
    release: { figure: '100 such subscribers, p99 of events at most 250 ms', environment: { SLOW_FULL: '1' } },
  },
  {
    id: 'P14',
    text: 'A full disk stops only writing: reads work, nothing acknowledged is lost, and work continues when there is space.',
    tests: ['packages/server/src/store/sql/full-disk.test.ts', `${durable}/full-disk.test.ts`],
    ci: { figure: '503 for writes, 200 for reads, 0 lost', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P15',
    text: 'A stop under load resets no request, loses no execution, and ends within 30 s.',
    tests: ['packages/server/test/promises/stop.test.ts'],
    ci: { figure: '2 stops under load, 0 lost', environment: {} },
    release: { figure: '50 stops', environment: { STOP_ROUNDS: '50' } },
  },
  {
    id: 'P16',
    text: 'Durations take their time, however the clock is set and the service restarted.',
    tests: [`${durable}/set-clock-durations.test.ts`],
    ci: { figure: '12 random series of clock changes and restarts, each duration right', environment: {} },
    release: { figure: '400 series', environment: { CLOCK_RUNS: '400' } },
  },
  {
    id: 'P17',
    text: 'A database that another program locks is an outage of writing only, answered with 503.',
    tests: ['packages/server/test/promises/locked-database.test.ts'],
    ci: { figure: 'locked for 1 s under load: no 500, 0 lost', environment: {} },
    release: { figure: 'locked 10 times for 5 s', environment: { LOCK_FULL: '1' } },
  },
  {
    id: 'P18',
    text: 'No text of a user, a node or a model runs as script in the web app.',
    tests: [journeys],
    only: 'run no script',
    ci: { figure: '40 payloads on every page in Chromium, 0 executed', environment: {} },
    release: { figure: '200 payloads', environment: { E2E_INJECTIONS: '200' } },
  },
  {
    id: 'P19',
    text: 'A page of another origin reads nothing from the service and changes nothing.',
    tests: [journeys],
    only: 'a page of another origin',
    ci: { figure: 'requests, forms, frames and WebSockets in Chromium, 0 succeed', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
  {
    id: 'P20',
    text: 'No input changes the built-in objects of the process.',
    tests: ['packages/server/test/promises/built-ins.test.ts'],
    ci: { figure: '200 inputs, 0 changed', environment: {} },
    release: { figure: '2,000 inputs', environment: { BUILT_IN_INPUTS: '2000' } },
  },
  {
    id: 'P21',
    text: 'Memory and open files do not grow with the number of executions.',
    tests: ['packages/server/test/promises/growth.test.ts'],
    ci: { figure: '3 rounds of 1,000 executions: at most 80 MB more from round to round', environment: {} },
    release: {
      figure: '20 minutes of executions: less than 1 MB per minute, the same open files',
      environment: { GROWTH_MINUTES: '20' },
    },
  },
  {
    id: 'P22',
    text: 'Few packages, all pinned and verified, run in the service, and none runs a script when it is installed except the database.',
    tests: ['packages/server/test/promises/packages.test.ts'],
    ci: { figure: 'at most 25 direct dependencies, each with a checksum', environment: {} },
    release: { figure: 'the same', environment: {} },
  },
];
