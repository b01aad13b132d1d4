import type {
  Captured,
  Catalogue,
  ErrorHandling,
  Graph,
  GraphIssue,
  Json,
  JsonObject,
  ModelAnswer,
  ModelRequest,
  OutboundRequest,
  OutboundResponse,
  RunFinished,
  Script,
  ScriptResult,
  StepState,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../ground/clock.ts';
import type { ClaimedRun, NewExecution } from '../store/executions.ts';
import type { Store } from '../store/store.ts';

/** Regular expressions in linear time. */
export interface Patterns {
  matches(pattern: string, text: string): boolean;
  capture(pattern: string, text: string): Captured | null;
}

/** What the end of a failed run says of its error handler, and the run to be accepted with it. */
export interface HandlerStart {
  readonly handling: ErrorHandling;
  readonly start: NewExecution | null;
}

/** Whose code a script is, and what ends it early. */
export interface ScriptOwner {
  readonly workflowId: number;
  readonly signal: AbortSignal;
}

/** The attempt whose model speaks. */
interface Speaker {
  readonly workflowId: number;
  readonly executionId: string;
  readonly nodeId: string;
  readonly frame: string;
  readonly attempt: number;
}

/** Takes a model's text as it comes. */
export interface Tokens {
  push(text: string): void;
  flush(): void;
}

/** A request of a step with the secrets that it names. */
export interface SecretRequest {
  readonly nodeId: string;
  readonly workflowId: number;
  readonly credentialId: number | null;
  /** Placeholders with the names of the variables that they stand for. */
  readonly variables: ReadonlyMap<string, string>;
  readonly request: OutboundRequest;
}

/** Everything the runner reaches the world through. */
export interface RunnerPorts {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** Sends a request with the credential of its node, and with the secret variables that its placeholders stand for. */
  readonly toolRequest: (call: SecretRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** A text that nobody can guess, of letters and digits: it stands for a secret variable until the request is sent. */
  readonly placeholder: () => string;
  readonly askModel: (
    request: ModelRequest,
    signal: AbortSignal,
    listen?: (text: string) => void,
  ) => Promise<ModelAnswer>;
  /** A way to those who listen while an attempt's model speaks; null where nobody does. */
  readonly tokens: (speaker: Speaker) => Tokens | null;
  /** Runs users' code, in another process. */
  readonly runScript: (script: Script, owner: ScriptOwner) => Promise<ScriptResult>;
  readonly patterns: Patterns;
  /**
   * An execution of another workflow, to be stored with the step that starts it.
   * @throws StepError `subworkflow`
   */
  readonly subworkflow: (
    parent: ClaimedRun,
    call: { nodeId: string; slug: string; payload: Json; isWaitedFor: boolean },
  ) => Promise<NewExecution>;
  /** What was said before a run's message, in its conversation. */
  readonly conversation: Pick<Store['chats'], 'before' | 'keepSummary'>;
  readonly links: {
    /** The secret part of a callback's URL, hashed with SHA-256 (hex). */
    readonly callbackHash: (step: { executionId: string; frame: string; nodeId: string }) => string;
    /** The addresses of a step that are known before it has run. */
    readonly outputsOf: (executionId: string, step: StepState) => JsonObject;
  };
  /** Whether versions of workflows may run. */
  readonly validity: {
    /** The errors of a graph itself. */
    readonly errorsIn: (graph: Graph) => readonly GraphIssue[];
    readonly callsOthers: (graph: Graph) => boolean;
    /** The errors in its calls of other workflows, as those are now. */
    readonly callErrors: (workflowId: number, graph: Graph) => Promise<readonly GraphIssue[]>;
  };
  /** The first rule that a value breaks; null when it fits. */
  readonly schemaIssue: (schema: JsonObject, value: Json) => string | null;
  /** How the workflow's error handler starts for a run that is about to be stored as failed; null when it has none. */
  readonly errorHandler: (run: ClaimedRun, end: RunFinished) => Promise<HandlerStart | null>;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info' | 'debug'>;
  /** Whether somebody waits for this run's answer: then it is begun at once, however many more are accepted. */
  readonly isAwaited: (executionId: string) => boolean;
  /** Attempts that one run may make. */
  readonly maxSteps: number;
  /** Characters of JSON that the steps of a run may put out in all. */
  readonly maxRunSize: number;
  /** Names this process in leases. */
  readonly owner: string;
}
