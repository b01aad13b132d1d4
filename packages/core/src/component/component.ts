import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../expression/scope.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { ConversationPort } from './conversation.ts';
import type { CredentialType } from './credential.ts';
import type { ModelPort } from './model.ts';
import type { Pause, PauseAnswer, PauseRequest } from './pause.ts';
import type { InputPort, OutputPort } from './ports.ts';
import type { Script, ScriptResult } from './script.ts';

/** How a step may be repeated after a crash: freely, freely, with its Idempotency-Key, or never silently. */
export type Effect = 'pure' | 'idempotent' | 'keyed' | 'once';

export const categories = [
  'Triggers',
  'AI',
  'Models',
  'Sub-components',
  'Memory',
  'Tools',
  'Logic',
  'Flow',
  'Output',
  'Canvas',
  'Agent',
] as const;
export type Category = (typeof categories)[number];

/** The part of AbortSignal that a component needs: core knows neither Node nor the DOM. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The body of a request: text, or text and the bytes of files, one after the other. */
export type RequestBody = string | readonly (string | FileBytes)[];

/** Bytes that JSON cannot hold: core knows no bytes of its own. */
export interface FileBytes {
  readonly base64: string;
}

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already encoded; null for none. */
  readonly body: RequestBody | null;
  /** Whether the address is one that a server's answer gave, and not the node. */
  readonly isServerGiven?: boolean;
}

/** Secrets that go with a request, and the one origin (`https://host:port`) that they may go to. */
export interface BoundSecret {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A parameter of the query. */
  readonly query?: { readonly name: string; readonly value: string };
  /** Whether a text holds one of them, however it is written there. */
  isIn(text: string): boolean;
}

export interface OutboundResponse {
  /** The address that answered: after redirects another than the one that was asked. */
  readonly url: string;
  /** Whether all redirects on the way stayed within the origin of the request: only then its secrets were sent. */
  readonly isFromHome: boolean;
  readonly status: number;
  /** Lower-case names; of repeated headers the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundBody;
}

/** Looks at the head of an answer; sees its bytes as they come, decompressed, if it gives somebody who takes them. */
export type BodyWatch = (head: Pick<OutboundResponse, 'status' | 'headers'>) => ((bytes: Uint8Array) => void) | null;

/** The bytes of an answer, read as what the component needs. */
export interface OutboundBody {
  /** In bytes, after decompression. */
  readonly size: number;
  /** Decoded by the charset of the content type, UTF-8 without one. */
  text(): string;
  base64(): string;
}

/** A sub-component of the node: a memory, a parser, a tool. */
export interface Connected {
  readonly nodeId: string;
  readonly type: string;
  /** Its `extra_config` with the expressions filled in. */
  readonly config: JsonObject;
}

/** What a regular expression found. */
export interface Captured {
  readonly match: string;
  /** The groups in order; null for one that took no part. */
  readonly groups: readonly (string | null)[];
  readonly named: Readonly<Record<string, string | null>>;
}

/** Everything through which a component reaches the world. The runner makes one for each step. */
export interface StepContext {
  /** What expressions see: for components that evaluate a path themselves (switch, assertion). */
  readonly scope: Scope;
  readonly nodeId: string;
  /** The nodes whose values make up a gathered input, in edge order. */
  readonly sources: readonly string[];
  /** Which attempt of the step this is, from 1. */
  readonly attempt: number;
  /** Stable over attempts of this step: `sha256(run, frame, node)` in hex. */
  readonly idempotencyKey: string;
  readonly signal: CancelSignal;
  now(): Instant;
  /**
   * Makes an execution of another workflow, which begins when this step's outcome is stored. Resolves to its id.
   * @param isWaitedFor whether this step waits for its end; one that goes its own way begins only while the queue has room
   * @throws StepError `subworkflow` when the run's owner may not start it, or it cannot run, now or at all
   */
  startWorkflow(slug: string, payload: Json, isWaitedFor: boolean): Promise<string>;
  /**
   * Sends through the one outbound client: its address policy, limits and time-outs hold. The node's credential goes
   * with the request, where its component uses one.
   */
  http(request: OutboundRequest): Promise<OutboundResponse>;
  /** The address that a reference in an answer means, and its origin; null for what is no address. */
  resolveUrl(reference: string, base: string): { readonly href: string; readonly origin: string } | null;
  /** A linear-time regular expression test. Throws StepError `config` for a bad pattern. */
  matches(pattern: string, text: string): boolean;
  /** The first match of such an expression and its groups; null without one. */
  capture(pattern: string, text: string): Captured | null;
  /** The first rule of a JSON Schema that the value breaks; null when it fits. Throws StepError `config` for a bad schema. */
  schemaFault(schema: JsonObject, value: Json): string | null;
  /**
   * Runs a user's code in the sandbox, away from this process and from everything. Throws StepError `code_syntax`,
   * `code_error`, `code_output`, `code_timeout`, `code_memory`, `code_unavailable`.
   */
  runScript(script: Script): Promise<ScriptResult>;
  /** The node's `system_prompt` with its expressions filled in; empty where there is none. */
  readonly systemPrompt: string;
  /** The model of a node whose type has that sub-input. */
  readonly model: ModelPort;
  /** What is connected to one of the node's sub-inputs, in the order in which it was connected. */
  connected(subInput: string): readonly Connected[];
  readonly conversation: ConversationPort;
}

/** What a step was given. `config` is the node's `extra_config` with its expressions filled in. */
export interface Step<Config> {
  readonly input: Json;
  readonly config: Config;
  readonly ctx: StepContext;
}

/** The HTTP answer a respond node gives to the caller that waits for the run. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** What a step gave back: its ports' values, and for a switch the route taken. */
export interface StepResult {
  readonly outputs: JsonObject;
  readonly route?: string;
  readonly respond?: HttpAnswer;
  readonly metadata?: JsonObject;
}

/** What a loop gives back: the engine runs its body once for each item, and makes its outputs of what comes of that. */
export interface Iteration {
  readonly items: readonly Json[];
  /** How many may be under way at once. */
  readonly concurrency: number;
  /** Whether an item that fails ends the loop. */
  readonly onItemError: 'stop' | 'continue';
}

/** What came of an attempt: its result, or what is to be done before there is one. */
export type StepOutcome = StepResult | { readonly iterate: Iteration } | { readonly pause: PauseRequest };

/** What a step that paused goes on with. */
export interface Resumed {
  readonly input: Json;
  readonly pause: Pause;
  readonly answer: PauseAnswer;
}

/** A value of a config that a step cannot use. */
export interface SettingFault {
  /** Where in the config. */
  readonly path: readonly (string | number)[];
  /** It is the key at that place that is wrong, not its value. */
  readonly isKey?: boolean;
  /** `error` where a step with it fails whatever comes, `warning` where it goes on without it. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** What a config says of a request that is to go with a credential. */
export interface KnownRequest {
  /** Where it goes; null where an expression says so. */
  readonly address: string | null;
  /** Names of headers. */
  readonly headers: readonly string[];
  /** Names of the query's parameters. */
  readonly parameters: readonly string[];
}

/** A workflow as a user writes it, with tests of it. */
export interface ComponentExample {
  /** YAML, in either form of `docs/dsl.md`. */
  readonly workflow: string;
  /** YAML: a test file of `docs/testing-workflows.md`, without its key `workflow`. */
  readonly tests: string;
}

/** One node type: its names, ports, config and deed. One file of `packages/components` each. */
export interface Component<Config = unknown> {
  readonly type: string;
  readonly label: string;
  readonly category: Category;
  /** What it does, written for the user: this is the docs page. Markdown without HTML. */
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
  /** Sub-inputs that may be connected already, but that `run` cannot use yet: a run that meets one fails and says so. */
  readonly plannedSubInputs?: readonly string[];
  readonly effect: Effect;
  /** Goes up when the meaning of a stored config changes. */
  readonly version: number;
  /** The schema of `extra_config` (without the policies every node takes). Strict: unknown keys are refused. */
  readonly config: z.ZodType;
  /** Config keys that may still come when a node is stored, and without which a step of it fails whatever comes. */
  readonly needs?: readonly string[];
  /**
   * What is wrong with a config as a whole, though each of its keys is right: a step with it fails whatever comes. As the
   * end of a sentence; null when it may succeed. Such a node can be stored, as one that is not finished.
   */
  readonly lacks?: (config: JsonObject) => string | null;
  /**
   * What is wrong with single values of a config that its schema takes, as far as they are written out and hold no
   * expressions. Such a node can be stored, too.
   */
  readonly faults?: (config: JsonObject) => readonly SettingFault[];
  /** The credential that its `credential_id` names, if it uses one: it goes with all that the step sends. */
  readonly credential?: {
    readonly type: CredentialType;
    /** What is known of the requests of a step, as far as a config has it written out. */
    readonly knownIn: (config: JsonObject) => KnownRequest;
  };
  /** The config key that holds code in which `nodes` is in scope. */
  readonly codeKey?: string;
  /** Keys of its config that would be policies elsewhere: here they mean something of its own. */
  readonly ownNames?: readonly string[];
  /**
   * Names the top-level config keys that hold bare expression text, evaluated without `{{ }}` around it.
   * Everything else is text, in which only `{{ … }}` is evaluated.
   */
  readonly bareExpressions?: readonly string[];
  /**
   * Config keys that reach `run` as written: the component evaluates them itself. `rules.*.field` means that key of
   * each entry of a list.
   */
  readonly verbatim?: readonly string[];
  /** Config keys that hold a URL: values of expressions in its path, query and fragment are percent-encoded. */
  readonly urls?: readonly string[];
  /**
   * Those of `verbatim` that are paths over the run's scope: they name nodes as expressions do, for checks and renames.
   * A filter's fields are not: they are paths inside its items.
   */
  readonly scopePaths?: readonly string[];
  /** How several values meet at the first input: as a list always (merge), or as a list when there are several (aggregator). */
  readonly gathers?: 'always' | 'several';
  /** Absent for what is never a step: models, tools, notes. */
  readonly run?: (step: Step<Config>) => StepOutcome | Promise<StepOutcome>;
  /** Outputs that are known before the step has run: addresses by which somebody answers it. */
  readonly links?: readonly string[];
  /** What comes of a step that paused, once that has been answered. Depends on nothing else; throws as `run` does. */
  readonly resume?: (resumed: Resumed) => StepResult;
}

/** Gives `run` the config type of the literal's own schema. What comes out fits the catalogue. */
export function defineComponent<Config>(
  component: Component<Config> & { readonly config: z.ZodType<Config> },
): Component<Config> {
  return component;
}

/** All node types, by name. A Map, so that no name of a user's can reach a prototype. */
export type Catalogue = ReadonlyMap<string, Component<never>>;

export function isTrigger(component: Pick<Component<never>, 'category'>): boolean {
  return component.category === 'Triggers';
}
