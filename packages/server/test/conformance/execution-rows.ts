import { part } from './row.ts';

/** Executions, validation and the catalogue, as the interface decides them. */
export const executionRows = [
  part('Executions', 'interface.executions', [
    ['list', 'GET list, newest first', 'executions: lists the caller’s executions, newest first'],
    [
      'list.filters',
      '`workflow_slug`, `status`, `since`, `until`, `q`',
      'executions: filters by workflow, status, time and text',
    ],
    ['list.pages', '`limit` and `offset`', 'executions: shows the part that was asked for'],
    ['list.refused', 'a filter that means nothing: 422', 'executions: refuses %s'],
    [
      'detail',
      'GET detail with payload, output and logs',
      'executions: shows what started it, what it did and what came of it',
    ],
    [
      'invalid.by-hand',
      'of a graph with `validate/` errors, `execute/` and `chat/` start nothing: 422 `{detail, issues}`',
      'executions.invalid: is not started by %s/: 422 with the issues',
    ],
    [
      'invalid.unattended',
      'any other trigger records a failed execution, which starts the error handler',
      'executions.invalid: is accepted by its webhook, and its execution fails without a step',
      'executions.invalid: fails the step that runs it, and performs none itself',
      'executions.invalid: starts its error handler with the code invalid_workflow',
    ],
    [
      'invalid.retry',
      'it can be retried with `{"version": …}` once the workflow is fixed',
      'executions.invalid: is retried on the version that corrects it',
      'executions.invalid: is not retried on another version once a step was performed',
    ],
    [
      'invalid.once',
      'a version is validated once, and not for each execution',
      'server/src/runner/plans: a version that runs all the time is validated and compiled once, however many others run',
    ],
    [
      'fields',
      '`accepted_at`, `error_code` and `error_node_id`, in lists too',
      'executions.fields: an execution tells in lists and alone when it was accepted, and the code and the node of its error',
    ],
    [
      'detail.times',
      'a log entry has `queued_at`, `started_at` and `ended_at`',
      'executions.fields: the log tells when each attempt was queued, began and ended',
      'core/src/engine/journal/execution-log: each attempt of a random run has one entry, and its times are in order',
    ],
    [
      'detail.questions',
      'an interrupted execution has `open_questions`',
      'executions.fields: an interrupted execution lists its open questions, until they are answered',
    ],
    ['detail.failed', 'the log says why a step failed', 'executions: shows why a step failed'],
    [
      'detail.skipped',
      'a branch that was not taken is `skipped`',
      'executions: shows the branch that was not taken as skipped',
    ],
    [
      'detail.large',
      'inputs and outputs that are too large are markers, and each is to be had in full',
      'executions.large: of $size characters and $nodeCount nodes, is answered within a budget',
      'executions.large: has one log entry in full when asked for it',
      'executions.large: has no log entry that the execution does not have',
    ],
    [
      'waiting',
      'statuses `waiting` and `interrupted`: they hold no worker',
      'executions.waits: a long wait holds no worker, and goes on when its time has come',
    ],
    [
      'resume',
      'POST resume `{node_id, confirmed, response?}`',
      'executions.waits: a person who may write answers a question, once',
      'executions.waits: in a loop several frames wait for the same node: a decision names which',
    ],
    [
      'foreign',
      'executions of others are missing',
      'executions: is not there for others, nor where no execution has the id',
    ],
    ['cancel', 'POST cancel', 'executions: ends a pending execution', 'executions: stops a running one'],
    [
      'retry',
      'POST retry: from the failed node, journaled results reused',
      'executions.retry: has a failed execution go on from the node that failed, with all else as it was',
      'executions.retry: with 409, unless the execution has failed',
    ],
    [
      'replay',
      'POST replay `{from_node, overrides?}`: a new execution that reuses the journal up to that node',
      'executions.replay: starts an execution that performs the node and what follows it, with the results before',
      'executions.replay: gives the nodes before other values, and the trigger another payload',
      'executions.replay: runs another version, and reuses what nodes of the same type put out',
      'executions.replay: with 422, for %j',
    ],
    ['batch-delete', 'POST batch-delete `{execution_ids}`', 'executions: deletes what has ended, and leaves the rest'],
    [
      'execute',
      'POST execute `{payload?, text?, trigger_node_id?, wait?, version?}`: 200 `{execution_id, status}`',
      'executions.execute: starts a run and says so at once',
      'executions.execute: gives the run its payload and text',
    ],
    [
      'execute.wait',
      '`wait` answers when it has ended, with `final_output` and `error_message`',
      'executions.execute: waits for the end when asked to',
      'executions.execute: tells who waits why it failed, and nobody else what it gave',
    ],
    [
      'execute.idempotency',
      '`execute/` accepts `Idempotency-Key`',
      'idempotency: starts nothing the second time, and answers with the first execution',
      'idempotency: is refused with 409 when the key comes with another body',
    ],
    [
      'execute.trigger',
      '`trigger_node_id` chooses among triggers',
      'executions.execute: is the manual one, unless another is named',
    ],
    [
      'chat',
      'POST `chat/` `{text, session_id?}`; GET and DELETE its history',
      'chats: is answered with what the run gave',
      'chats: without a session begins one',
      'chats: has messages and answers, newest first',
      'chats: is forgotten by who said it, and by the owner',
    ],
  ]),
  part('Validate', 'interface.validate', [
    ['answer', '200 `{valid, errors, issues}`', 'validate: finds nothing wrong with a workflow that can run'],
    ['valid', '`valid` when no issue is an error', 'validate: is still valid with nothing but warnings'],
    [
      'message',
      "`Node '<id>' is missing required 'model' connection`",
      'validate: names an agent without a model in the documented words',
    ],
    [
      'place',
      'issues name their node, edge and field',
      'validate: reports names in expressions that nothing has, with their place',
      'validate: reports edges to nodes that do not exist',
    ],
    ['missing', '404 for a missing workflow', 'validate: is 404 for a missing workflow'],
  ]),
];
