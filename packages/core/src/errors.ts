import type { JsonObject } from './json.ts';

/**
 * The errors that callers and authors of workflows can encounter, as a table: code → kind of error.
 * `http/plumbing/errors.ts` maps kinds to statuses; `docs/errors.md` lists the codes, and a test compares the two.
 */
export const errorTable = {
  // Errors of API requests.
  not_authenticated: { kind: 'unauthenticated', meaning: 'No API key was sent, or it is not valid.' },
  key_scope: { kind: 'forbidden', meaning: 'The key may only start workflows by webhook.' },
  read_only: { kind: 'forbidden', meaning: 'The caller may read this workflow but not change it.' },
  owner_only: { kind: 'forbidden', meaning: 'Only the owner of the workflow may do this.' },
  members_only: { kind: 'forbidden', meaning: 'Only the owner and the collaborators of the workflow may see this.' },
  admins_only: { kind: 'forbidden', meaning: 'Only an admin may do this.' },
  not_found: { kind: 'not_found', meaning: 'The object does not exist or the caller may not see it.' },
  malformed: { kind: 'malformed', meaning: 'The request body is not JSON.' },
  not_a_schedule: {
    kind: 'malformed',
    meaning: 'The node does not fire by the clock, so there is nothing to start or stop.',
  },
  invalid: { kind: 'invalid', meaning: 'The request breaks a rule; the message names the field.' },
  invalid_workflow: {
    kind: 'invalid',
    meaning:
      'The workflow has validation errors, so none of its steps is performed. Fix them, then retry the execution.',
  },
  edge_types: { kind: 'invalid', meaning: 'The source output does not fit the target input.' },
  conflict: { kind: 'conflict', meaning: 'The change collides with what is stored.' },
  idempotency_conflict: {
    kind: 'conflict',
    meaning: 'The Idempotency-Key was used with another body in the last 24 hours; nothing was started.',
  },
  too_large: { kind: 'too_large', meaning: 'The request body is over the size limit.' },
  method_not_allowed: {
    kind: 'method_not_allowed',
    meaning: 'The address does not take this method; `Allow` lists those that it takes.',
  },
  unsupported_media: { kind: 'unsupported_media', meaning: 'The content type is not accepted here.' },
  rate_limited: { kind: 'rate_limited', meaning: 'Too many requests; Retry-After says when to try again.' },
  overloaded: { kind: 'unavailable', meaning: 'Too many runs are waiting; nothing was accepted.' },
  store_unavailable: {
    kind: 'unavailable',
    meaning: 'The database cannot write now, e.g. its disk is full; nothing was stored.',
  },
  secret_unreadable: {
    kind: 'unavailable',
    meaning: 'A stored secret cannot be opened: it is damaged, or its key is missing. It must be entered again.',
  },
  data_damaged: {
    kind: 'unavailable',
    meaning: 'The stored data of the object is damaged and cannot be read; restore it from a backup.',
  },
  // Errors of steps. These are the `error_code` of a log entry.
  expression: { kind: 'step', meaning: 'An expression names what does not exist, or cannot be evaluated.' },
  config: {
    kind: 'step',
    meaning: 'A config value, after its expressions were filled in, is not what the component takes.',
  },
  input: { kind: 'step', meaning: 'The value that reached the node is not what the component takes.' },
  assertion: { kind: 'step', meaning: 'An assertion did not hold.' },
  http_status: { kind: 'step', meaning: 'The server answered with status 400 or more.' },
  http_connection: { kind: 'step', meaning: 'No answer came: the connection failed or broke.' },
  http_blocked: { kind: 'step', meaning: 'The outbound policy does not allow this address.' },
  http_too_large: { kind: 'step', meaning: 'The answer is larger than the limit.' },
  state: {
    kind: 'step',
    meaning: 'The stored value is not what the operation works on, or would become too large.',
  },
  missing_connection: { kind: 'step', meaning: 'A sub-component that the node needs is not connected.' },
  not_supported: { kind: 'step', meaning: 'The node is connected to what this version of the service cannot use yet.' },
  credential_missing: { kind: 'step', meaning: 'The node has no credential, or one that does not exist any more.' },
  credential_locked: {
    kind: 'step',
    meaning: 'The credential points to another place than its secret was entered for: it must be entered again.',
  },
  credential_unfit: {
    kind: 'step',
    meaning: "The node's credential is of another type, or its config does not say how to authenticate.",
  },
  credential_origin: { kind: 'step', meaning: "The node's credential may not be sent to the address of the request." },
  variable_missing: {
    kind: 'step',
    meaning: 'The request holds a secret variable that was deleted, or is not secret any more.',
  },
  variable_origin: { kind: 'step', meaning: 'A secret variable may not be sent to the address of the request.' },
  model_auth: { kind: 'step', meaning: 'The model provider refused the API key.' },
  model_rate_limited: { kind: 'step', meaning: 'The model provider takes no more requests for a while.' },
  model_unavailable: { kind: 'step', meaning: 'The model provider failed, or is overloaded.' },
  model_refused: { kind: 'step', meaning: 'The model provider does not accept the request, or the model declined it.' },
  model_bad_response: { kind: 'step', meaning: 'The answer is not what the provider type promises.' },
  model_output: { kind: 'step', meaning: 'The model answered what its output parser cannot read.' },
  code_syntax: { kind: 'step', meaning: 'The code of a code node cannot be read; the message says where.' },
  code_error: { kind: 'step', meaning: 'The code of a code node threw an error, or waits for what never happens.' },
  code_output: { kind: 'step', meaning: 'What the code returned is not JSON, is too large or nests too deep.' },
  code_timeout: { kind: 'step', meaning: 'The code ran longer than the service allows.' },
  code_memory: { kind: 'step', meaning: 'The code needed more memory than the service allows.' },
  code_unavailable: { kind: 'step', meaning: 'The sandbox for code cannot start on this machine; nothing was run.' },
  subworkflow: {
    kind: 'step',
    meaning: 'The other workflow cannot be started, or its execution did not complete.',
  },
  step_timeout: { kind: 'step', meaning: 'The step took longer than its timeout_seconds.' },
  step_stopped: {
    kind: 'step',
    meaning: 'The step was under way when what it was part of ended: its execution, or an iteration of a loop.',
  },
  step_unknown: {
    kind: 'step',
    meaning:
      'The service stopped while the step was running, or the execution ended then and was retried: it is not known whether the step acted.',
  },
  step_crashed: {
    kind: 'step',
    meaning: 'The component failed in a way it does not know; details are in the service log.',
  },
  // Errors that end a run.
  run_timeout: { kind: 'run', meaning: 'The run took longer than max_execution_seconds.' },
  run_steps: { kind: 'run', meaning: 'The run reached its limit of steps.' },
  run_bytes: { kind: 'run', meaning: 'What the steps of the run put out is larger than the run may hold.' },
  run_invalid: {
    kind: 'run',
    meaning: 'The run cannot continue: its graph breaks a rule, or its stored data is damaged.',
  },
  run_lost: {
    kind: 'run',
    meaning: 'The service ended without notice, time after time, while it performed the run, which got no further.',
  },
  run_cancelled: { kind: 'run', meaning: 'Somebody cancelled the run.' },
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

/** An error of the caller, or a temporary condition. Contains the content of the response. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly detail: ProblemDetail;
  /** Seconds after which the same request may succeed, if known. */
  readonly retryAfter: number | null;
  /** The methods that the URL supports, if the method is the error. */
  readonly allow: readonly string[];
  constructor(
    code: ErrorCode,
    detail: ProblemDetail,
    options: { readonly retryAfter?: number; readonly allow?: readonly string[] } = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'Problem';
    this.code = code;
    this.detail = detail;
    this.retryAfter = options.retryAfter ?? null;
    this.allow = options.allow ?? [];
  }
  get kind(): ErrorKind {
    return errorTable[this.code].kind;
  }
}

interface StepErrorOptions {
  readonly retryable?: boolean;
  /** Milliseconds that the other service asked to wait. */
  readonly retryAfterMs?: number;
  /** Additional data for the step's log entry. */
  readonly metadata?: JsonObject;
}

/** The failure of one step. `retryable` says whether the same step might succeed later. */
export class StepError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The minimum delay before the next attempt, in milliseconds. */
  readonly retryAfterMs: number;
  readonly metadata: JsonObject;
  constructor(code: ErrorCode, message: string, options: StepErrorOptions = {}) {
    super(message);
    this.name = 'StepError';
    this.metadata = options.metadata ?? {};
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
