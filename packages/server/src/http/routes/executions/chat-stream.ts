import type { FastifyRequest } from 'fastify';
import type { Timers } from '../../../ground/clock.ts';
import { EventStream } from '../../handling/event-stream.ts';
import type { SocketPrincipal } from '../../plumbing/authentication.ts';

/** An event of a run as a WebSocket would receive it. */
interface RunEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A run whose events are streamed. */
interface Following {
  readonly principal: SocketPrincipal | null;
  readonly run: { readonly workflowId: number; readonly executionId: string };
  readonly deliver: (event: RunEvent, isEphemeral: boolean) => void;
  /** The principal may no longer read the run. */
  readonly revoked: (detail: string) => void;
}

export interface ChatStreamPorts {
  /** Delivers the events of a run from now on, until the returned function is called. */
  readonly followers: { follow(following: Following): () => void };
  readonly timers: Pick<Timers, 'after'>;
  /** The key or session of a request, which may end while its answer is streamed; null for this process. */
  readonly principalOf: (request: FastifyRequest) => Promise<Following['principal']>;
}

/** The run that answers a message, before it is accepted. */
export interface ComingRun {
  readonly workflowId: number;
  readonly executionId: string;
  readonly sessionId: string;
}

/** Streams what happens while a message is answered. */
export class ChatStream {
  readonly events: EventStream;
  readonly #followers: ChatStreamPorts['followers'];
  readonly #principal: Following['principal'];
  #unfollow: () => void = () => undefined;

  private constructor({ followers, timers }: ChatStreamPorts, principal: Following['principal']) {
    this.#followers = followers;
    this.#principal = principal;
    this.events = new EventStream(timers, () => this.#unfollow());
  }

  static async open(ports: ChatStreamPorts, request: FastifyRequest): Promise<ChatStream> {
    return new ChatStream(ports, await ports.principalOf(request));
  }

  /** Follows a run that is about to be accepted, so that no event is missed. */
  follow({ workflowId, executionId, sessionId }: ComingRun): void {
    this.events.send('start', { execution_id: executionId, session_id: sessionId });
    this.#unfollow = this.#followers.follow({
      principal: this.#principal,
      run: { workflowId, executionId },
      deliver: (event, isEphemeral) => this.#deliver(event, isEphemeral),
      revoked: (detail) => this.events.end('error', { detail }),
    });
  }

  #deliver(event: RunEvent, isEphemeral: boolean): void {
    const shown = chatEventOf(event);
    if (shown !== null) this.events.send(shown.event, shown.data, isEphemeral);
  }
}

/** A server-sent event of a chat. */
interface ChatEvent {
  readonly event: 'token' | 'tool' | 'approval';
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a chat shows of an event of its run; null for what it does not show. */
function chatEventOf({ type, data }: RunEvent): ChatEvent | null {
  const { execution_id: _known, ...rest } = data;
  if (type === 'token') return { event: 'token', data: rest };
  if (type === 'execution_interrupted') return { event: 'approval', data: flat(rest) };
  if (type !== 'node_status' || callOf(data)?.tool === undefined) return null;
  const { output: _inDetail, output_omitted: _also, ...status } = flat(rest);
  return { event: 'tool', data: status };
}

interface ToolCall {
  readonly index: number;
  readonly tool?: string;
}

function callOf(data: RunEvent['data']): ToolCall | undefined {
  // Safe: presentEvent has written it.
  return data.call as ToolCall | undefined;
}

/** With the index of a call and the name of its tool beside the other keys, as in `token`. */
function flat({ call: _nested, ...rest }: RunEvent['data']): RunEvent['data'] {
  const call = callOf({ call: _nested });
  return call === undefined ? rest : { ...rest, call: call.index, ...(call.tool !== undefined && { tool: call.tool }) };
}
