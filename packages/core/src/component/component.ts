import type { z } from 'zod';
import type { Meter, SlicedText, SlicedWork } from '../base/meter.ts';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../expression/scope.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { ConversationPort, Recollection } from './conversation.ts';
import type { GitRequest } from './git/git-request.ts';
import type { FactsPort } from './memory/facts.ts';
import type { PeoplePort } from './memory/people.ts';
import type { ModelPort, ModelPrompt } from './model.ts';
import type { Pause, PauseAnswer, PauseRequest } from './pause.ts';
import type { InputPort, OutputPort } from './ports.ts';
import type { Script, ScriptResult } from './script.ts';
import type { StateRequest } from './state.ts';
import type { Call, EndedCall, StepCall } from './tools/calls.ts';
import type { CommandRequest, CommandResult } from './tools/command.ts';
import type { Effect } from './tools/effect.ts';
import type { McpPort, McpServer } from './tools/mcp.ts';
import type { PlatformAnswer, PlatformRequest } from './tools/platform-request.ts';
import type { Tool, ToolDescription, ToolOffer } from './tools/tool.ts';

export const categories = [
  'Triggers',
  'AI',
  'Models',
  'Sub-components',
  'Memory',
  'Tools',
  'Logic',
  'Data',
  'Flow',
  'Output',
  'Canvas',
  'Agent',
] as const;
export type Category = (typeof categories)[number];

/** The part of AbortSignal that a component needs: core depends neither on Node nor on the DOM. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The body of a request: text, or text and the bytes of files in sequence. */
export type RequestBody = string | readonly (string | FileBytes)[];

/** Bytes, which JSON cannot represent: core has no byte type of its own. */
export interface FileBytes {
  readonly base64: string;
}

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already encoded; null for none. */
  readonly body: RequestBody | null;
  /** Whether the URL came from a server's response rather than from the node. */
  readonly isServerGiven?: boolean;
  /** Whether a redirect to another origin fails the request. */
  readonly staysHome?: boolean;
}

/** Secrets that are sent with a request, and the one origin (`https://host:port`) that may receive them. */
export interface BoundSecret {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A parameter of the query. */
  readonly query?: { readonly name: string; readonly value: string };
  /** A segment of the path, and what follows it there. The value needs no encoding. */
  readonly path?: { readonly segment: string; readonly value: string };
  /** Replaces the placeholders of secrets in the request; only for the origin. @throws StepError `config` */
  readonly fill?: SecretFill;
  /** Whether a text holds one of them, however it is written there. */
  isIn(text: string): boolean;
}

/** Replaces placeholders in the parts of a request, each time encoded as that part needs it. */
export interface SecretFill {
  header(text: string): string;
  /** Of the query of an address, with its `?`. */
  query(text: string): string;
  body(text: string, contentType: string): string;
  /** Whether a text holds a placeholder. */
  isIn(text: string): boolean;
}

export interface OutboundResponse {
  /** The URL that responded: after redirects it differs from the requested one. */
  readonly url: string;
  /** Whether all redirects stayed within the origin of the request: only then were its secrets sent. */
  readonly isFromHome: boolean;
  readonly status: number;
  /** Lower-case names, without `set-cookie`; of repeated headers the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `set-cookie`, which cannot be joined. */
  readonly cookies?: readonly string[];
  readonly body: OutboundBody;
}

/**
 * Inspects the head of a response; receives its decompressed bytes as they arrive if it returns a consumer for them.
 */
export type BodyWatch = (head: Pick<OutboundResponse, 'status' | 'headers'>) => ((bytes: Uint8Array) => void) | null;

/** The bytes of a response, converted to the format that the component needs. */
export interface OutboundBody {
  /** In bytes, after decompression. */
  readonly size: number;
  /**
   * Decoded by the charset of the content type, UTF-8 without one. Secrets are removed from a long text in slices, which
   * are charged to the meter.
   */
  text(meter?: Meter): SlicedText;
  base64(meter?: Meter): SlicedText;
}

/** A sub-component of the node: a memory, a parser, a tool. */
export interface Connected {
  readonly nodeId: string;
  readonly type: string;
  /** Its `extra_config` with the expressions resolved. */
  readonly config: JsonObject;
}

/** A match of a regular expression. */
export interface Captured {
  readonly match: string;
  /** The groups in order; null for one that did not participate. */
  readonly groups: readonly (string | null)[];
  readonly named: Readonly<Record<string, string | null>>;
}

/** A component's only access to the outside world. The runner creates one for each step. */
export interface StepContext {
  /** The scope of expressions, for components that evaluate a path themselves (switch, assertion). */
  readonly scope: Scope;
  readonly nodeId: string;
  /** The nodes whose values form a gathered input, in edge order. */
  readonly sources: readonly string[];
  /** The number of the step's attempt, from 1. */
  readonly attempt: number;
  /** Stable over attempts of this step: `sha256(run, frame, node)` in hex. */
  readonly idempotencyKey: string;
  readonly signal: CancelSignal;
  now(): Instant;
  /**
   * Creates an execution of another workflow, which begins when this step's outcome is stored. Resolves to its id.
   * @param isWaitedFor whether this step waits for its end; a detached one begins only while the queue has room
   * @throws StepError `subworkflow` if the run's owner may not start it, or it cannot run now or at all
   */
  startWorkflow(slug: string, payload: Json, isWaitedFor: boolean): Promise<string>;
  /**
   * What another workflow does, and the schema of its payload.
   * @throws StepError `subworkflow` if the run's owner may not see it
   */
  workflowInput(slug: string): Promise<ToolDescription>;
  /**
   * Sends a request to the API of this service with the rights of the run's owner. Credentials, keys, users and the
   * answers to approvals are out of reach.
   * @throws StepError `platform` if the owner no longer exists, or the answer is too large
   */
  platform(request: PlatformRequest): Promise<PlatformAnswer>;
  /**
   * Sends a request through the one outbound client, with its address policy, limits and timeouts. The node's
   * credential is sent with the request if its component uses one.
   */
  http(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Works with a git repository on another server, with the node's credential.
   * @throws StepError `git_unavailable`, `git_auth`, `git_conflict`, `git_failed`, `http_blocked`, and those of credentials
   */
  git(request: GitRequest): Promise<JsonObject>;
  /** The address of the service in the config of the node's `tool` credential; null if there is none. */
  credentialEndpoint(): Promise<string | null>;
  /** The URL that a reference in a response resolves to, and its origin; null if it is not a URL. */
  resolveUrl(reference: string, base: string): { readonly href: string; readonly origin: string } | null;
  /** Limits the work that this step does on the event loop. */
  readonly meter: Meter;
  /** Does work of any length without a long pause for others: the rest of longer work is done in later turns. */
  inSlices<Result>(work: SlicedWork<Result>): Result | Promise<Result>;
  /** A regular expression test in linear time. Throws StepError `config` for an invalid pattern. */
  matches(pattern: string, text: string): boolean;
  /** The first match of such an expression with its groups; null if there is none. */
  capture(pattern: string, text: string): Captured | null;
  /**
   * The first rule of a JSON Schema that the value violates; null if it is valid. Throws StepError `config` for an
   * invalid schema.
   */
  schemaIssue(schema: JsonObject, value: Json): string | null;
  /**
   * Runs a user's code in the sandbox, isolated from this process and the outside world. Throws StepError
   * `code_syntax`, `code_error`, `code_output`, `code_timeout`, `code_memory`, `code_unavailable`.
   */
  runScript(script: Script): Promise<ScriptResult>;
  /** A server of the Model Context Protocol. Its requests are sent like those of `http`. */
  mcp(server: McpServer): McpPort;
  /**
   * Runs a program that the operator allows. Throws StepError `command_denied`, `command_failed`, `step_timeout`.
   */
  runCommand(request: CommandRequest): Promise<CommandResult>;
  /** The node's `system_prompt` with its expressions resolved; empty if it has none. */
  readonly systemPrompt: string;
  /** The model of a node whose type has that sub-input. */
  readonly model: ModelPort;
  /** The node of that model. @throws StepError `missing_connection` */
  readonly modelNodeId: string;
  /** The nodes connected to one of the node's sub-inputs, in the order of connection. */
  connected(subInput: string): readonly Connected[];
  readonly conversation: ConversationPort;
  /** What workflows remember between runs. */
  readonly facts: FactsPort;
  /** The people that workflows know. */
  readonly people: PeoplePort;
  /**
   * The tools that the connected nodes offer now, in the order of connection.
   * @throws StepError `tool_names` if two have the same name
   */
  tools(): Promise<readonly Tool[]>;
}

/** The input of a step. `config` is the node's `extra_config` with its expressions resolved. */
export interface Step<Config> {
  readonly input: Json;
  readonly config: Config;
  readonly ctx: StepContext;
}

/** A step that is a call of a tool. */
export interface ToolStep<Config> extends Step<Config> {
  /** What of the node is called, if it offers several tools. */
  readonly target?: string;
}

/** The HTTP response that a respond node sends to the caller that waits for the run. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** The result of a step: its ports' values, and for a switch the route taken. */
export interface StepResult {
  readonly outputs: JsonObject;
  readonly route?: string;
  readonly respond?: HttpAnswer;
  readonly metadata?: JsonObject;
}

/**
 * The result of a loop node: the engine runs its body once for each item, and builds the loop's outputs from the
 * results.
 */
export interface Iteration {
  readonly items: readonly Json[];
  /** The most items in progress at once. */
  readonly concurrency: number;
  /** Whether a failed item ends the loop. */
  readonly onItemError: 'stop' | 'continue';
}

/** The calls that a step makes next. When all of them have ended, its component decides what follows. */
export interface CallsRequest {
  readonly calls: readonly Call[];
  /** What the later decisions of the attempt read. Only with its first calls. */
  readonly brief?: JsonObject;
  /** The most calls in progress at once. Default: all. */
  readonly concurrency?: number;
}

/** The calls of an attempt when all of them have ended. */
export interface MadeCalls {
  readonly brief: JsonObject;
  /** In the order in which they were decided. */
  readonly calls: readonly EndedCall[];
  readonly ctx: Pick<StepContext, 'inSlices' | 'meter' | 'matches' | 'capture' | 'schemaIssue' | 'now' | 'nodeId'>;
}

/** A call of a model that a step makes. */
export interface ModelCall {
  readonly call: StepCall;
  readonly brief: JsonObject;
  /** The calls of the attempt before it. */
  readonly calls: readonly EndedCall[];
  /** What the memory of the calling step returned; null without a memory. */
  readonly before: Recollection | null;
}

/** What came of an attempt: its result, or what is to be done before there is one. */
export type StepOutcome =
  | StepResult
  | { readonly iterate: Iteration }
  | CallsRequest
  | { readonly pause: PauseRequest }
  | { readonly state: StateRequest };

/** The data with which a paused step continues. */
export interface Resumed {
  readonly input: Json;
  readonly pause: Pause;
  readonly answer: PauseAnswer;
}

/** A value of a config that a step cannot use. */
export interface SettingIssue {
  /** The path in the config. */
  readonly path: readonly (string | number)[];
  /** The key at that path is wrong, not its value. */
  readonly isKey?: boolean;
  /** `error` if a step with it always fails, `warning` if it runs without it. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** The static parts of a request that is sent with a credential, from a config. */
export interface KnownRequest {
  /** Its URL; null if an expression determines it. */
  readonly address: string | null;
  /** Names of headers. */
  readonly headers: readonly string[];
  /** Names of the query's parameters. */
  readonly parameters: readonly string[];
}

/** The credential of a node: a tool and a git repository may go without one, a chat bot may not. */
export type UsedCredential =
  | {
      readonly type: 'tool';
      /** The static parts of a step's requests, as far as its config contains them. */
      readonly knownIn: (config: JsonObject) => KnownRequest;
    }
  | { readonly type: 'git' }
  | { readonly type: 'chat_bot' };

/** An example workflow as a user writes it, with its tests. */
export interface ComponentExample {
  /** YAML, in either form of `docs/dsl.md`. */
  readonly workflow: string;
  /** YAML: a test file of `docs/testing-workflows.md`, without its key `workflow`. */
  readonly tests: string;
}

/** One node type: its names, ports, config and behaviour. One file of `packages/components` each. */
export interface Component<Config = unknown> {
  readonly type: string;
  readonly label: string;
  readonly category: Category;
  /** A description of its behaviour for users: this is the docs page. Markdown without HTML. */
  readonly description: string;
  /** The error codes that its own `run` and `resume` can fail with, besides those that every step can fail with. */
  readonly errors?: readonly ErrorCode[];
  /** A workflow that uses it. Its page shows the example, and a test runs it. */
  readonly example?: ComponentExample;
  /** A lucide icon's name. */
  readonly icon: string;
  /** `#rrggbb`. */
  readonly color: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly subInputs: readonly InputPort[];
  readonly effect: Effect;
  /**
   * False for a config whose steps may act again if a failed attempt is repeated. Without a policy, such a step is retried
   * only if the receiver said that it has done nothing. The expressions in the config are evaluated, unless the attempt
   * failed before that.
   */
  readonly isRepeatable?: (config: JsonObject) => boolean;
  /** Incremented when the meaning of a stored config changes. */
  readonly version: number;
  /** The schema of `extra_config` (without the policies of every node). Strict: unknown keys are rejected. */
  readonly config: z.ZodType;
  /** Config keys that may be missing when a node is stored, but without which its steps always fail. */
  readonly needs?: readonly string[];
  /**
   * The error of a config as a whole, although each of its keys is valid: a step with it always fails. The end of a
   * sentence; null if the step may succeed. Such a node can be stored as unfinished.
   */
  readonly lacks?: (config: JsonObject) => string | null;
  /**
   * Errors in single values of a config that its schema accepts, as far as they are static. Such a node can be stored
   * as well.
   */
  readonly issues?: (config: JsonObject) => readonly SettingIssue[];
  /** The credential that its `credential_id` names, if it uses one: it is sent with every request of the step. */
  readonly credential?: UsedCredential;
  /** Top-level config keys whose values go into a request as they are: only there a secret variable may stand. */
  readonly sends?: readonly string[];
  /** The config key that holds code in which `nodes` is in scope. */
  readonly codeKey?: string;
  /** Config keys with the name of a policy that have their own meaning in this component. */
  readonly ownNames?: readonly string[];
  /**
   * The top-level config keys that hold bare expression text, evaluated without `{{ }}` around it. Everything else is
   * text, in which only `{{ … }}` is evaluated.
   */
  readonly bareExpressions?: readonly string[];
  /**
   * Config keys that are passed to `run` unchanged: the component evaluates them itself. `rules.*.field` refers to that
   * key of each entry of a list.
   */
  readonly verbatim?: readonly string[];
  /** Config keys that hold a URL: values of expressions in its path, query and fragment are percent-encoded. */
  readonly urls?: readonly string[];
  /**
   * Config keys that hold another address. In these and in `urls`, the arguments of a model choose neither the host nor
   * the beginning of the path.
   */
  readonly addresses?: readonly string[];
  /**
   * Those of `verbatim` that are paths over the run's scope: they name nodes as expressions do, for checks and renames.
   * A filter's fields are not: they are paths inside its items.
   */
  readonly scopePaths?: readonly string[];
  /**
   * How several values are combined at the first input: always as a list (merge), or as a list if there are several
   * (aggregator).
   */
  readonly gathers?: 'always' | 'several';
  /** Absent for components that are never a step: models, tools, notes. */
  readonly run?: (step: Step<Config>) => StepOutcome | Promise<StepOutcome>;
  /** How its nodes are tools of agents. Absent for types that cannot be tools. */
  readonly tool?: ToolOffer;
  /** The outcome of a call as a tool. Default: that of `run`. */
  readonly call?: (step: ToolStep<Config>) => StepOutcome | Promise<StepOutcome>;
  /** Outputs that are known before the step has run: URLs for answering it. */
  readonly links?: readonly string[];
  /**
   * What follows when all calls of an attempt have ended: its result, or further calls. Depends on nothing else; throws
   * as `run` does.
   */
  readonly proceed?: (made: MadeCalls) => StepResult | CallsRequest | Promise<StepResult | CallsRequest>;
  /** What its model is called with in one of its calls. Depends on nothing else, so that it can be shown later. */
  readonly prompt?: (asked: ModelCall) => ModelPrompt;
  /** The outcome of a paused step after its answer. Depends on nothing else; throws as `run` does. */
  readonly resume?: (resumed: Resumed) => StepResult;
}

/** Gives `run` the config type of the literal's own schema. The result fits the catalogue. */
export function defineComponent<Config>(
  component: Component<Config> & { readonly config: z.ZodType<Config> },
): Component<Config> {
  return component;
}

/** All node types, by name. A Map, so that no user-chosen name can reach a prototype. */
export type Catalogue = ReadonlyMap<string, Component<never>>;

export function isTrigger(component: Pick<Component<never>, 'category'>): boolean {
  return component.category === 'Triggers';
}
