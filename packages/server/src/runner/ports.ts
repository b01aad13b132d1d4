import type {
  Captured,
  Catalogue,
  CommandRequest,
  CommandResult,
  ErrorHandling,
  GitRequest,
  Graph,
  GraphIssue,
  Instant,
  Json,
  JsonObject,
  McpPort,
  McpServer,
  Meter,
  ModelAnswer,
  ModelRequest,
  OutboundRequest,
  OutboundResponse,
  PlatformAnswer,
  PlatformRequest,
  RunFinished,
  Script,
  ScriptResult,
  SlicedWork,
  StepState,
  ToolDescription,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../ground/clock.ts';
import type { Turns } from '../ground/turns.ts';
import type { ClaimedRun, NewExecution } from '../store/executions.ts';
import type { RunRecording } from '../store/recordings.ts';
import type { Store } from '../store/store.ts';
import type { Budgets } from './budgets.ts';
import type { WorkRecord } from './work-record.ts';

/** Regular expressions in linear time. */
export interface Patterns {
  matches(pattern: string, text: string): boolean;
  capture(pattern: string, text: string): Captured | null;
}

/** What the end of a failed run records about its error handler, and the run that is accepted with it. */
export interface HandlerStart {
  readonly handling: ErrorHandling;
  readonly start: NewExecution | null;
}

/** The attempt that a script belongs to. */
export interface ScriptOwner {
  readonly workflowId: number;
  readonly ownerId: number;
  readonly signal: AbortSignal;
  /** Limits the work of writing the values in scope. */
  readonly meter: Meter;
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
}

/** The attempt whose model generates text. */
interface Speaker {
  readonly workflowId: number;
  readonly executionId: string;
  readonly nodeId: string;
  readonly frame: string;
  readonly attempt: number;
  /** The index of the call of the model, for an agent with tools. */
  readonly call?: number;
}

/** The attempt that calls a model. */
interface ModelCaller {
  readonly signal: AbortSignal;
  /** Limits the work of reading the answer. */
  readonly meter: Meter;
  /** Reads a large answer in several turns. */
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
  /** Records what follows the operation as work of the attempt, in case it stalls the service. */
  continued<Result>(operation: Promise<Result>): Promise<Result>;
  /** Does work that is recorded as that of the attempt. */
  perform<Result>(act: () => Result): Result;
  /** Receives the text as it is generated. */
  readonly listen?: ((text: string) => void) | undefined;
}

/** Receives the text of a model as it is generated. */
export interface Tokens {
  push(text: string): void;
  flush(): void;
}

/** A request of a step, with the secrets that it refers to. */
export interface SecretRequest {
  readonly nodeId: string;
  readonly workflowId: number;
  readonly credentialId: number | null;
  /** Placeholders with the names of the variables that they stand for. */
  readonly variables: ReadonlyMap<string, string>;
  readonly request: OutboundRequest;
}

/** A call of the Bot API by a step, without the token of the bot. */
export interface BotRequest {
  readonly nodeId: string;
  readonly credentialId: number;
  readonly request: OutboundRequest;
}

/** The server that a node of a run uses. */
interface McpTarget {
  readonly executionId: string;
  readonly nodeId: string;
  readonly ownerId: number;
  readonly server: McpServer;
  /** Sends a request with the node's credential. */
  readonly send: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** Reads what the server sent, in slices. */
  inSlices<Result>(work: (meter: Meter) => SlicedWork<Result>, signal: AbortSignal): Promise<Result>;
}

/** A request of a step to a git repository, with the credential that its node names. */
interface GitCall {
  readonly nodeId: string;
  readonly executionId: string;
  readonly ownerId: number;
  readonly credentialId: number | null;
  readonly request: GitRequest;
  readonly at: Instant;
}

/** What steps reach outside of the service. */
export type Outside = Pick<
  RunnerPorts,
  'http' | 'toolRequest' | 'botRequest' | 'git' | 'askModel' | 'runCommand' | 'platform'
> & { readonly mcp: Pick<RunnerPorts['mcp'], 'open'> };

/** The attempt of a step of a run that is recorded, or that gets recorded answers. */
export interface RecordedAttempt {
  readonly run: Pick<ClaimedRun, 'id' | 'workflowId' | 'epoch'>;
  readonly recording: RunRecording;
  readonly frame: string;
  readonly nodeId: string;
  /** As the log of the run numbers it. */
  readonly attempt: number;
  /** Limits the work on its answers. */
  readonly meter: Meter;
  /** Does work of the attempt. */
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
}

/** The dependencies of the runner: everything outside the engine. */
export interface RunnerPorts {
  /** The outside of an attempt that is recorded, or that gets recorded answers. */
  readonly recorded: (outside: Outside, attempt: RecordedAttempt) => Outside;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** Sends a request with the credential of its node, and with secret variables in place of their placeholders. */
  readonly toolRequest: (call: SecretRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** Sends a call of the Bot API with the token of a credential. */
  readonly botRequest: (call: BotRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  /** The address of the service in the config of a `tool` credential; null if there is none. */
  readonly endpointOf: (credentialId: number) => Promise<string | null>;
  /** Works with a git repository, with the credential of the node. */
  readonly git: (call: GitCall, signal: AbortSignal) => Promise<JsonObject>;
  /** A random text of letters and digits that replaces a secret variable until the request is sent. */
  readonly placeholder: () => string;
  readonly askModel: (request: ModelRequest, caller: ModelCaller) => Promise<ModelAnswer>;
  readonly budgets: Budgets;
  /** Publishes the text of an attempt's model as it is generated; null if there are no subscribers. */
  readonly tokens: (speaker: Speaker) => Tokens | null;
  /** Runs users' code in another process. */
  readonly runScript: (script: Script, owner: ScriptOwner) => Promise<ScriptResult>;
  /** Runs programs of the operator's list. */
  readonly runCommand: (
    request: CommandRequest,
    caller: { readonly ownerId: number; readonly signal: AbortSignal },
  ) => Promise<CommandResult>;
  readonly patterns: Patterns;
  /** Shares the event loop between runs and requests. */
  readonly turns: Turns;
  /** Records which run has the event loop. */
  readonly work: WorkRecord;
  /**
   * An execution of another workflow, to be stored with the step that starts it.
   * @throws StepError `subworkflow`
   */
  readonly subworkflow: (
    parent: ClaimedRun,
    call: { nodeId: string; slug: string; payload: Json; isWaitedFor: boolean },
  ) => Promise<NewExecution>;
  /**
   * What another workflow does, and the schema of its payload, for the owner of a run.
   * @throws StepError `subworkflow`
   */
  readonly workflowInput: (caller: ClaimedRun, slug: string) => Promise<ToolDescription>;
  /** Calls the API of this service for the owner of a workflow. @throws StepError `platform` */
  readonly platform: (
    workflow: { readonly id: number },
    request: PlatformRequest & { readonly idempotencyKey: string },
  ) => Promise<PlatformAnswer>;
  /** Connections to MCP servers, each kept while this process has the run. */
  readonly mcp: {
    readonly open: (target: McpTarget, signal: AbortSignal) => McpPort;
    /** This process no longer has the run. */
    readonly leave: (executionId: string) => void;
  };
  /** The conversation before a run's message. */
  readonly conversation: Pick<Store['chats'], 'before' | 'keepSummary'>;
  /** What workflows remember between runs. */
  readonly memory: Store['memory'];
  readonly links: {
    /** The SHA-256 hash (hex) of the secret part of a callback's URL. */
    readonly callbackHash: (step: { executionId: string; frame: string; nodeId: string }) => string;
    /** The links of a step, which exist before it runs. */
    readonly outputsOf: (executionId: string, step: StepState) => JsonObject;
  };
  /** Whether versions of workflows may run. */
  readonly validity: {
    /** The errors of the graph itself. */
    readonly errorsIn: (graph: Graph) => SlicedWork<readonly GraphIssue[]>;
    /** True if it calls other workflows or names variables. */
    readonly dependsOnOthers: (graph: Graph) => boolean;
    /** The errors in its calls of other workflows and its use of variables, in their current state. */
    readonly outerErrors: (workflowId: number, graph: Graph) => Promise<readonly GraphIssue[]>;
  };
  /** The first rule that a value violates; null if it is valid. */
  readonly schemaIssue: (schema: JsonObject, value: Json, meter?: Meter) => string | null;
  /** How the workflow's error handler starts for a run that is about to be stored as failed; null if it has none. */
  readonly errorHandler: (run: ClaimedRun, end: RunFinished) => Promise<HandlerStart | null>;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info' | 'debug'>;
  /** True if a request waits for this run: then it starts at once, however many others are accepted. */
  readonly isAwaited: (executionId: string) => boolean;
  /** Attempts that one run may make. */
  readonly maxSteps: number;
  /** Characters of JSON in all outputs of a run. */
  readonly maxRunSize: number;
  /** Identifies this process in leases. */
  readonly owner: string;
}
