import { part } from './row.ts';

/** Executions, validation and the catalogue, as the interface defines them. */
export const executionRows = [
  part('Executions', 'interface.executions', [
    ['list', 'GET list, newest first', 'executions: lists the caller’s executions, newest first'],
    [
      'list.filters',
      '`workflow_slug`, `status`, `since`, `until`, `q`',
      'executions: filters by workflow, status, time and text',
    ],
    ['list.pages', '`limit` and `offset`', 'executions: shows the requested page'],
    ['list.rejected', 'an invalid filter: 422', 'executions: rejects %s'],
    ['detail', 'GET detail with payload, output and logs', 'executions: shows its trigger, its steps and its result'],
    [
      'invalid.by-hand',
      'for a graph with `validate/` errors, `execute/` and `chat/` start nothing: 422 `{detail, issues}`',
      'executions.invalid: is not started by %s/: 422 with the issues',
    ],
    [
      'invalid.variables',
      'an unknown variable or a misused secret one makes it invalid, too, until that is corrected',
      'executions.invalid: begins once the variable that it names exists',
    ],
    [
      'invalid.unattended',
      'any other trigger records a failed execution, which starts the error handler',
      'executions.invalid: is accepted by its webhook, and its execution fails without a step',
      'executions.invalid: fails the step that calls it, and performs no step itself',
      'executions.invalid: starts its error handler with the code invalid_workflow',
    ],
    [
      'invalid.retry',
      'it can be retried with `{"version": …}` after the workflow is fixed',
      'executions.invalid: is retried on the version that corrects it',
      'executions.invalid: is not retried on another version after a step was performed',
    ],
    [
      'invalid.once',
      'a version is validated once, not for each execution',
      'server/src/runner/plans: a version that runs all the time is validated and compiled once, however many others run',
    ],
    [
      'fields',
      '`accepted_at`, `error_code` and `error_node_id`, in lists too',
      'executions.fields: the list and the detail of an execution show when it was accepted, and the code and node of its error',
    ],
    [
      'detail.times',
      'a log entry has `queued_at`, `started_at` and `ended_at`',
      'executions.fields: the log shows when each attempt was queued, began and ended',
      'core/src/engine/journal/execution-log: each attempt of a random run has one entry, and its times are in order',
    ],
    [
      'detail.questions',
      'an interrupted execution has `open_questions`',
      'executions.fields: an interrupted execution lists its open questions until they are answered',
    ],
    ['detail.failed', 'the log shows why a step failed', 'executions: shows why a step failed'],
    [
      'detail.skipped',
      'a branch that was not taken is `skipped`',
      'executions: shows the branch that was not taken as skipped',
    ],
    [
      'detail.large',
      'inputs and outputs that are too large are replaced by markers, and each can be read in full',
      'executions.large: of $size characters and $nodeCount nodes, is answered within a budget',
      'executions.large: returns one log entry in full on request',
      'executions.large: returns 404 for a missing log entry',
    ],
    [
      'waiting',
      'with the statuses `waiting` and `interrupted` no worker is used',
      'executions.waits: a long wait needs no worker, and continues at its time',
    ],
    [
      'resume',
      'POST resume `{node_id, confirmed, response?}`',
      'executions.waits: a user with write access answers a question, once',
      'executions.waits: in a loop several frames wait for the same node, and an answer names its frame',
    ],
    ['foreign', 'executions of other users are not found', 'executions: is 404 for other users, and for unknown ids'],
    ['cancel', 'POST cancel', 'executions: ends a pending execution', 'executions: stops a running one'],
    [
      'retry',
      'POST retry: from the failed node, journaled results reused',
      'executions.retry: continues a failed execution from the failed node, and keeps everything else',
      'executions.retry: with 409, unless the execution has failed',
    ],
    [
      'replay',
      'POST replay `{from_node, overrides?}`: a new execution that reuses the journal up to that node',
      'executions.replay: starts an execution that runs the node and its successors, with the earlier results',
      'executions.replay: replaces outputs of earlier nodes, and the payload of the trigger',
      'executions.replay: runs another version, and reuses the outputs of nodes of the same type',
      'executions.replay: with 422, for %j',
    ],
    [
      'batch-delete',
      'POST batch-delete `{execution_ids}`',
      'executions: deletes the executions that have ended, and no others',
    ],
    [
      'execute',
      'POST execute `{payload?, text?, trigger_node_id?, wait?, version?}`: 200 `{execution_id, status}`',
      'executions.execute: starts a run and answers at once',
      'executions.execute: passes the payload and text to the run',
    ],
    [
      'execute.wait',
      'with `wait` the answer comes after the end, with `final_output` and `error_message`',
      'executions.execute: waits for the end if the request asks for it',
      'executions.execute: answers a waiting caller with the error, and other callers without results',
    ],
    [
      'execute.idempotency',
      '`execute/` accepts `Idempotency-Key`',
      'idempotency: starts nothing the second time, and answers with the first execution',
      'idempotency: is rejected with 409 if the key is repeated with another body',
    ],
    [
      'execute.trigger',
      '`trigger_node_id` selects the trigger',
      'executions.execute: is the manual one, unless the request names another',
    ],
    [
      'chat',
      'POST `chat/` `{text, session_id?}`; GET and DELETE its history',
      'chats: is answered with the output of its run',
      'chats: without a session starts one',
      'chats: lists messages and answers, newest first',
      'chats: can be deleted by the sender of the messages, and by the owner',
    ],
  ]),
  part('Validate', 'interface.validate', [
    ['answer', '200 `{valid, errors, issues}`', 'validate: reports nothing for a valid workflow'],
    ['valid', '`valid` if no issue is an error', 'validate: is valid with only warnings'],
    [
      'message',
      "`Node '<id>' is missing required 'model' connection`",
      'validate: reports an agent without a model with the documented message',
    ],
    [
      'place',
      'issues name their node, edge and field',
      'validate: reports unknown names in expressions, with their position',
      'validate: reports edges to nodes that do not exist',
    ],
    ['missing', '404 for a missing workflow', 'validate: is 404 for a missing workflow'],
  ]),
];
