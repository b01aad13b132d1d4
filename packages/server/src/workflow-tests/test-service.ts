import type {
  CommandRequest,
  CommandResult,
  GitRequest,
  JsonObject,
  ModelAnswer,
  ModelRequest,
  OutboundRequest,
  OutboundResponse,
  User,
} from '@millrace/core';
import type { VirtualTime } from '../ground/virtual-time.ts';
import type { McpAnswered, McpAsked } from '../recordings/mcp-kind.ts';
import type { Store } from '../store/store.ts';

/** A response of the service's API; `body` is parsed if it is JSON, otherwise it is text. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A response that arrives as time advances. */
export class PendingReply {
  /** Null until it arrives. */
  value: Reply | null = null;

  constructor(reply: Promise<Reply>) {
    reply.then(
      (value) => {
        this.value = value;
      },
      // When the service closes, the result of a request in progress is ignored.
      () => undefined,
    );
  }
}

/** A request to the service's API. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A message to a bot. */
export interface BotMessage {
  /** Null for a trigger without a bot. */
  readonly credentialId: number | null;
  readonly text: string;
  /** What the message has besides its text, as the trigger outputs it. */
  readonly payload: JsonObject;
}

/** A complete service for one test, on an empty store, with a clock that the test advances. */
export interface TestService {
  readonly store: Store;
  readonly time: VirtualTime;
  /** The owner of the workflows, who makes the requests. */
  readonly user: User;
  call(call: Call): Promise<Reply>;
  /** A person writes to a bot. */
  write(message: BotMessage): Promise<Reply>;
  /** Resolves when nothing more happens until time advances. */
  settle(): Promise<void>;
  /** Lets schedules fire from now on. */
  startSchedules(): void;
  stopSchedules(): Promise<void>;
  close(): Promise<void>;
}

/** Replacements for the outside world. */
export interface TestServiceParts {
  readonly startTime: number;
  readonly http: (request: OutboundRequest) => OutboundResponse;
  readonly askModel: (request: ModelRequest) => ModelAnswer;
  readonly runCommand: (request: CommandRequest) => CommandResult;
  readonly git: (request: GitRequest) => JsonObject;
  /** Null for a node whose server answers over HTTP. */
  readonly mcp: (nodeId: string) => ((asked: McpAsked) => McpAnswered) | null;
}

export type OpenTestService = (parts: TestServiceParts) => Promise<TestService>;
