import { part } from './row.ts';

const stored = 'variables: mask a secret, which a returned mask leaves unchanged';

/** Variables and state, as the interface defines them. */
export const variableRows = [
  part('Variables', 'interface.variables', [
    [
      'endpoints',
      'GET, POST, GET one, PATCH, DELETE; lists are `{items, total}`',
      'variables: contain any JSON: %j',
      'variables: are listed newest first, changed and deleted',
    ],
    [
      'owners',
      'variables belong to the instance or to a workflow',
      'variables: are separate for each workflow and the instance',
    ],
    [
      'shadow',
      "a workflow's variable shadows the instance's",
      "variables.runs: prefer the workflow's variable to the instance's with the same name",
    ],
    [
      'snapshot',
      'a run reads the variables as they were when it started',
      'variables.runs: a run uses the variables as they were when it started, also after it was parked',
    ],
    [
      'unknown',
      'an unknown variable is a validation error',
      'variables.runs: are checked: an unknown variable is an error that names the available ones',
    ],
    [
      'secret.mask',
      'a secret is masked everywhere',
      stored,
      'variables.runs: is shown nowhere, even if the server repeats it',
    ],
    [
      'secret.hosts',
      'a secret is bound to its `allowed_hosts`',
      'variables: send a secret to additional hosts only if its value is entered again',
      'variables.runs: is sent to its allowed_hosts only',
      'variables.runs: does not follow a redirect to another origin',
    ],
    [
      'secret.places',
      'a secret can only be used in headers, query and body of a request',
      'variables.runs: is sent in headers, query and body, each with the right encoding',
      'variables.runs: in %s is a validation error, with which no step is performed',
    ],
    [
      'secret.key',
      '`rotate-key` covers secret variables',
      'server/src/secrets/rotation: reseals secret variables, and reports those that cannot be opened',
    ],
  ]),
  part('State', 'interface.state', [
    [
      'operations',
      '`get`, `set`, `increment`, `append`, `delete`; `get` of a missing key returns null',
      'state: sets, reads and deletes a value, which the next run sees',
    ],
    [
      'first_seen',
      '`first_seen` with `ttl_seconds`',
      'state: reports once that a key is new, until its time has passed',
    ],
    [
      'scope',
      'keys per workflow, or per scope of one owner',
      'state: keeps values of each workflow apart, and shares a scope between the workflows of one owner',
    ],
    ['size', '64 KiB per value', 'state: accept values, keys and scopes up to their limits, and reject longer ones'],
    [
      'transaction',
      'state is written in the transaction of its step',
      'state: never lose an increment',
      'state: see a key as new only once',
    ],
    [
      'endpoints',
      '`GET|PUT|DELETE …/state/{key}/` with `{value}`',
      'state: store, read and delete a value; a missing one is null',
    ],
  ]),
];
