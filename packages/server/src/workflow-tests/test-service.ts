import type { ModelAnswer, ModelRequest, OutboundRequest, OutboundResponse, User } from '@millrace/core';
import type { VirtualTime } from '../ground/virtual-time.ts';
import type { Store } from '../store/store.ts';

/** An answer of the service's API; `body` is read where it is JSON, else it is text. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A reply that comes as time passes. */
export class PendingReply {
  /** Null as long as there is none. */
  value: Reply | null = null;

  constructor(reply: Promise<Reply>) {
    reply.then(
      (value) => {
        this.value = value;
      },
      // A request that is under way when its service closes has nobody left to hear of it.
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

/** A service of one test's own: the whole of it, on an empty store, in time that stands still until somebody moves it. */
export interface TestService {
  readonly store: Store;
  readonly time: VirtualTime;
  /** Who owns the workflows, and calls. */
  readonly user: User;
  call(call: Call): Promise<Reply>;
  /** Resolves when nothing more happens unless time passes. */
  settle(): Promise<void>;
  /** From now on schedules fire. */
  startSchedules(): void;
  stopSchedules(): Promise<void>;
  close(): Promise<void>;
}

/** What such a service has in the place of the world. */
export interface TestServiceParts {
  readonly startTime: number;
  readonly http: (request: OutboundRequest) => OutboundResponse;
  readonly askModel: (request: ModelRequest) => ModelAnswer;
}

export type OpenTestService = (parts: TestServiceParts) => Promise<TestService>;
