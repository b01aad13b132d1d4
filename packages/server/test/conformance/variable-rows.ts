import { part } from './row.ts';

const stored = 'variables: mask a secret, and a mask sent back leaves it as it is';

/** Variables and state: what the interface says of them. */
export const variableRows = [
  part('Variables', 'interface.variables', [
    [
      'endpoints',
      'GET, POST, GET one, PATCH, DELETE; lists are `{items, total}`',
      'variables: hold any JSON: %j',
      'variables: are listed newest first, changed and deleted',
    ],
    [
      'owners',
      'the instance has its own, each workflow has its own',
      'variables: are kept apart: a workflow and the instance each have their own',
    ],
    [
      'shadow',
      "a workflow's variable shadows the instance's",
      "variables.runs: read the workflow's variable instead of the instance's of that name",
    ],
    [
      'snapshot',
      'a run reads the variables as they were when it started',
      'variables.runs: a run reads the variables as they were when it started, also after it was parked',
    ],
    [
      'unknown',
      'an unknown variable is an error of the check',
      'variables.runs: are checked: an unknown variable is an error that names the available ones',
    ],
    [
      'secret.mask',
      'a secret is masked everywhere',
      stored,
      'variables.runs: is shown nowhere, even where the server repeats it',
    ],
    [
      'secret.hosts',
      'a secret is bound to its `allowed_hosts`',
      'variables: send a secret to no further host unless its value is given again',
      'variables.runs: is sent to its allowed_hosts only',
      'variables.runs: does not follow a redirect to another origin',
    ],
    [
      'secret.places',
      'only headers, query and body of a request can hold a secret',
      'variables.runs: is sent in headers, query and body, each encoded as it has to be',
      'variables.runs: in %s is a validation error and fails the step',
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
      '`get`, `set`, `increment`, `append`, `delete`; `get` of a missing key gives null',
      'state: sets, reads and deletes a value, which the next run finds',
    ],
    ['first_seen', '`first_seen` with `ttl_seconds`', 'state: says once that something is new, until its time is over'],
    [
      'scope',
      'keys per workflow, or per scope of one owner',
      'state: keeps values of each workflow apart, and shares a scope between the workflows of one owner',
    ],
    ['size', '64 KiB per value', 'state: fails, and changes nothing, where the operation does not fit the value'],
    [
      'transaction',
      'state is written in the transaction of its step',
      'state: never lose an increment',
      'state: are told once that a key is new',
    ],
    [
      'endpoints',
      '`GET|PUT|DELETE …/state/{key}/` with `{value}`',
      'state: store, read and delete a value; a missing one is null',
    ],
  ]),
];
