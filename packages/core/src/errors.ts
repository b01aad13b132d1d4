import type { JsonObject } from './json.ts';

/**
 * The errors that callers and authors of workflows can encounter, as a table: code → kind of error.
 * `http/plumbing/errors.ts` maps kinds to statuses; `docs/errors.md` lists the codes, and a test compares the two.
 */
export const errorTable = {
  // Errors of API requests.
  not_authenticated: {
    kind: 'unauthenticated',
    meaning: 'The API key is missing or invalid, or the session has ended.',
  },
  key_scope: { kind: 'forbidden', meaning: 'The key may only start workflows by webhook.' },
  not_for_tools: { kind: 'forbidden', meaning: 'Tools of agents may not use this endpoint.' },
  foreign_page: { kind: 'forbidden', meaning: 'A page of another web site, or of another port, sent the request.' },
  read_only: { kind: 'forbidden', meaning: 'The caller may read this workflow but not change it.' },
  owner_only: { kind: 'forbidden', meaning: 'Only the owner of the workflow may do this.' },
  members_only: { kind: 'forbidden', meaning: 'Only the owner and the collaborators of the workflow may see this.' },
  admins_only: { kind: 'forbidden', meaning: 'Only an admin may do this.' },
  not_found: { kind: 'not_found', meaning: 'The object does not exist or the caller may not see it.' },
  malformed: { kind: 'malformed', meaning: 'The request body is not JSON.' },
  not_a_schedule: {
    kind: 'malformed',
    meaning: 'The node is not a schedule, so it cannot be started or stopped.',
  },
  invalid: { kind: 'invalid', meaning: 'The request violates a rule; the message names the field.' },
  invalid_workflow: {
    kind: 'invalid',
    meaning:
      'The workflow has validation errors, so none of its steps is performed. Fix them, then retry the execution.',
  },
  edge_types: { kind: 'invalid', meaning: 'The source output is not compatible with the target input.' },
  conflict: { kind: 'conflict', meaning: 'The change conflicts with stored data.' },
  idempotency_conflict: {
    kind: 'conflict',
    meaning: 'The Idempotency-Key was used with another body in the last 24 hours; nothing was started.',
  },
  too_large: { kind: 'too_large', meaning: 'The request body exceeds the size limit.' },
  method_not_allowed: {
    kind: 'method_not_allowed',
    meaning: 'The URL does not support this method; `Allow` lists the supported ones.',
  },
  unsupported_media: { kind: 'unsupported_media', meaning: 'The content type is not accepted here.' },
  rate_limited: { kind: 'rate_limited', meaning: 'Too many requests; Retry-After gives the time to wait.' },
  overloaded: {
    kind: 'unavailable',
    meaning: 'Too many executions are pending or running; nothing was started. Try again later.',
  },
  store_unavailable: {
    kind: 'unavailable',
    meaning: 'The database cannot write at the moment, e.g. because the disk is full; nothing was stored.',
  },
  secret_unreadable: {
    kind: 'unavailable',
    meaning: 'A stored secret cannot be decrypted: it is damaged, or its key is missing. Enter it again.',
  },
  data_damaged: {
    kind: 'unavailable',
    meaning:
      'The stored data of the object is damaged and cannot be read. Restore a backup of the database, or delete the object.',
  },
  // Errors of steps. These are the `error_code` of a log entry.
  expression: { kind: 'step', meaning: 'An expression uses a name that does not exist, or cannot be evaluated.' },
  config: {
    kind: 'step',
    meaning: 'A config value is missing or invalid once its expressions have been evaluated; the message names it.',
  },
  input: { kind: 'step', meaning: 'The input of the node is invalid for the component.' },
  assertion: { kind: 'step', meaning: 'An assertion failed.' },
  http_status: { kind: 'step', meaning: 'The server responded with status 400 or above.' },
  http_error: {
    kind: 'step',
    meaning: 'The server responded with a status below 400, and with an error at the `error_path` of the node.',
  },
  http_connection: { kind: 'step', meaning: 'There was no answer: the connection failed or was interrupted.' },
  http_blocked: { kind: 'step', meaning: 'The outbound policy does not allow this address.' },
  http_too_large: { kind: 'step', meaning: 'The answer exceeds the size limit.' },
  http_busy: {
    kind: 'step',
    meaning: 'The answers that all steps are reading at the moment are too large together. Retry the step later.',
  },
  git_unavailable: {
    kind: 'step',
    meaning:
      'The program git is missing on this machine, the git server does not answer, or too many workspaces are open.',
  },
  git_auth: { kind: 'step', meaning: 'The git server rejected the credential.' },
  git_conflict: {
    kind: 'step',
    meaning:
      'The branch has other commits in the meantime, or the server does not accept the push. Nothing was pushed.',
  },
  git_failed: {
    kind: 'step',
    meaning:
      'Git could not do what the step asked for, e.g. the repository, branch or file does not exist, or is too large.',
  },
  state: {
    kind: 'step',
    meaning: 'The stored value has the wrong type for the operation, or would become too large.',
  },
  memory: {
    kind: 'step',
    meaning: 'The fact is too large, or no more facts of its scope, or no more people, can be stored.',
  },
  missing_connection: { kind: 'step', meaning: 'A required sub-component is not connected.' },
  tool_unknown: { kind: 'step', meaning: 'The model called a tool that the agent does not have.' },
  tool_arguments: { kind: 'step', meaning: 'The model called a tool with invalid arguments.' },
  tool_declined: { kind: 'step', meaning: 'A person declined the call of a tool, or nobody approved it in time.' },
  tool_names: { kind: 'step', meaning: 'Two tools of an agent have the same name.' },
  mcp_unavailable: { kind: 'step', meaning: 'The MCP server does not answer, or rejected the request.' },
  mcp_error: {
    kind: 'step',
    meaning: 'The MCP server reported an error, offers too much, or its answer does not follow the protocol.',
  },
  mcp_changed: { kind: 'step', meaning: 'The tools of the MCP server are not those that the node expects.' },
  budget_spent: {
    kind: 'step',
    meaning: 'The models of the workflow have used its budget. Retry the execution in the next period.',
  },
  agent_limit: { kind: 'step', meaning: 'The agent reached `max_steps` or one of its `budgets`.' },
  credential_missing: { kind: 'step', meaning: 'The node has no credential, or its credential no longer exists.' },
  credential_locked: {
    kind: 'step',
    meaning:
      'The address or the allowed hosts of the credential were changed after its secret was entered. Enter the secret again.',
  },
  credential_unfit: {
    kind: 'step',
    meaning: "The node's credential is of another type, or its config does not say how to authenticate.",
  },
  credential_origin: { kind: 'step', meaning: "The node's credential is not allowed for the address of the request." },
  variable_missing: {
    kind: 'step',
    meaning: 'The request contains a secret variable that was deleted or is no longer secret.',
  },
  variable_origin: { kind: 'step', meaning: 'A secret variable is not allowed for the address of the request.' },
  chat_bot_api: {
    kind: 'step',
    meaning: 'The messaging platform rejected the call of a bot; the message has its explanation.',
  },
  model_auth: { kind: 'step', meaning: 'The model provider rejected the API key.' },
  model_rate_limited: { kind: 'step', meaning: 'The model provider limits the rate of requests.' },
  model_unavailable: { kind: 'step', meaning: 'The model provider failed or is overloaded.' },
  model_refused: { kind: 'step', meaning: 'The model provider rejected the request, or the model declined it.' },
  model_bad_response: { kind: 'step', meaning: 'The answer does not follow the protocol of the provider type.' },
  model_output: { kind: 'step', meaning: "The output parser cannot read the model's answer." },
  output_bytes: { kind: 'step', meaning: 'The outputs of the step exceed 16 MiB of JSON.' },
  code_syntax: { kind: 'step', meaning: 'The code has a syntax error; the message gives its position.' },
  code_error: { kind: 'step', meaning: 'The code threw an error, or waits for a promise that never settles.' },
  code_output: {
    kind: 'step',
    meaning: 'The value that the code returned is not JSON, is too large or is nested too deep.',
  },
  code_timeout: { kind: 'step', meaning: 'The code exceeded the time limit.' },
  code_memory: { kind: 'step', meaning: 'The code exceeded the memory limit.' },
  command_denied: { kind: 'step', meaning: 'The operator does not allow the command, or one of its options.' },
  command_failed: { kind: 'step', meaning: 'The command could not be started, or ended with another code than 0.' },
  code_unavailable: {
    kind: 'step',
    meaning: 'The sandbox for code cannot start on this machine, or too many scripts wait for it; no code was run.',
  },
  subworkflow: {
    kind: 'step',
    meaning: 'The workflow that the step calls cannot be started, or its execution did not complete.',
  },
  platform: {
    kind: 'step',
    meaning: 'The API of this service rejected the request of a tool, or the tool may not make it.',
  },
  cassette_miss: {
    kind: 'step',
    meaning: 'The execution gets recorded answers, and none is left for this request; the message names both.',
  },
  work_limit: {
    kind: 'step',
    meaning: 'The step would have computed for too long: its values or rules are too many or too large.',
  },
  step_timeout: { kind: 'step', meaning: 'The step took longer than its timeout_seconds.' },
  step_stopped: {
    kind: 'step',
    meaning: 'The step was in progress when its execution or its iteration of a loop ended.',
  },
  step_unknown: {
    kind: 'step',
    meaning:
      'The service stopped, or the execution ended, while the step was in progress. It is unknown whether the step acted.',
  },
  step_crashed: {
    kind: 'step',
    meaning: 'The component failed with an unexpected error; the service log has the details.',
  },
  // Errors that end a run.
  run_timeout: { kind: 'run', meaning: 'The execution took longer than max_execution_seconds.' },
  run_steps: { kind: 'run', meaning: 'The execution reached its limit of step attempts (MILLRACE_MAX_STEPS).' },
  run_bytes: {
    kind: 'run',
    meaning: 'The outputs of the steps of the execution exceed the limit (MILLRACE_MAX_RUN_BYTES).',
  },
  run_invalid: {
    kind: 'run',
    meaning: 'The execution cannot continue: its graph is invalid, or its stored data is damaged.',
  },
  run_lost: {
    kind: 'run',
    meaning:
      'The execution crashed the service twice, or the service crashed ten times during it while it made no progress.',
  },
  run_stalled: {
    kind: 'run',
    meaning:
      'The execution crashed or stalled the service twice: it kept the service from doing anything else until that ended.',
  },
  run_cancelled: { kind: 'run', meaning: 'The execution was cancelled.' },
} as const satisfies Record<string, { kind: string; meaning: string }>;

export type ErrorCode = keyof typeof errorTable;
export type ErrorKind = (typeof errorTable)[ErrorCode]['kind'];

/** A violation of a schema rule: its location (`loc` starts with body, query or path) and a message. */
export interface FieldIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** The content of a Problem: a sentence, field issues, or edge type errors. */
export type ProblemDetail = string | readonly FieldIssue[] | { readonly validation_errors: readonly string[] };

interface ProblemOptions {
  readonly retryAfter?: number;
  readonly allow?: readonly string[];
  readonly acceptEncoding?: readonly string[];
}

/** An error that the API reports: a mistake of the caller or a temporary condition. `detail` is the body of the response. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly detail: ProblemDetail;
  /** Seconds after which the same request may succeed, if known. */
  readonly retryAfter: number | null;
  /** For `method_not_allowed`: the methods that the URL supports. */
  readonly allow: readonly string[];
  /** For `unsupported_media`: the encodings that the URL supports, if the encoding was the reason. */
  readonly acceptEncoding: readonly string[];
  constructor(code: ErrorCode, detail: ProblemDetail, options: ProblemOptions = {}) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'Problem';
    this.code = code;
    this.detail = detail;
    this.retryAfter = options.retryAfter ?? null;
    this.allow = options.allow ?? [];
    this.acceptEncoding = options.acceptEncoding ?? [];
  }
  get kind(): ErrorKind {
    return errorTable[this.code].kind;
  }
}

interface StepErrorOptions {
  readonly retryable?: boolean;
  readonly notPerformed?: boolean;
  /** Milliseconds that the other service asked to wait. */
  readonly retryAfterMs?: number;
  /** Additional data for the step's log entry. */
  readonly metadata?: JsonObject;
}

/** The failure of one step. `retryable` is true if another attempt may succeed. */
export class StepError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Whether the receiver said that it has done nothing and may be asked again. */
  readonly notPerformed: boolean;
  /** The minimum delay before the next attempt, in milliseconds. */
  readonly retryAfterMs: number;
  readonly metadata: JsonObject;
  constructor(code: ErrorCode, message: string, options: StepErrorOptions = {}) {
    super(message);
    this.name = 'StepError';
    this.metadata = options.metadata ?? {};
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.notPerformed = options.notPerformed ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
