import { presentEvent } from '@millrace/contract';
import type { Instant, LiveEvent, Published, User, Workflow } from '@millrace/core';
import { notFoundDetail, type Topic } from './topic.ts';

/** Somebody who listens: a connection. */
export interface Subscriber {
  readonly user: User;
  /** Takes a message as bytes of UTF-8; never throws. */
  deliver(message: Buffer): void;
  /** The channel was taken away: what it names may not be read any more. */
  revoked(channel: string, detail: string): void;
}

interface HubPorts {
  readonly now: () => Instant;
  readonly mayRead: (user: User, workflow: Workflow) => boolean;
}

/** Who listens under which name: after a rename, old subscribers and new ones use different names for one topic. */
type Channels = Map<string, Set<Subscriber>>;

/** Brings events to those who listen. */
export class Hub {
  readonly #ports: HubPorts;
  readonly #workflows = new Map<number, Channels>();
  readonly #executions = new Map<string, Channels>();
  readonly #topics = new Map<Subscriber, Map<string, Topic>>();
  readonly #lastSeq = new Map<number, number>();
  readonly #firstSeq: number;

  constructor(ports: HubPorts) {
    this.#ports = ports;
    // Microseconds: a process that publishes less than a million events a second for its whole life counts on where
    // no earlier one came to, so numbers only grow, over restarts too.
    this.#firstSeq = Math.floor(ports.now() * 1000);
  }

  /** Subscribes, or binds the name anew when the subscriber has it already. */
  subscribe(subscriber: Subscriber, channel: string, topic: Topic): void {
    this.unsubscribe(subscriber, channel);
    const own = this.#topics.get(subscriber) ?? new Map<string, Topic>();
    this.#topics.set(subscriber, own.set(channel, topic));
    const channels = this.#channelsOf(topic) ?? this.#open(topic);
    channels.set(channel, (channels.get(channel) ?? new Set()).add(subscriber));
  }

  unsubscribe(subscriber: Subscriber, channel: string): void {
    const own = this.#topics.get(subscriber);
    const topic = own?.get(channel);
    if (own === undefined || topic === undefined) return;
    own.delete(channel);
    if (own.size === 0) this.#topics.delete(subscriber);
    const channels = this.#channelsOf(topic);
    const listeners = channels?.get(channel);
    listeners?.delete(subscriber);
    if (listeners?.size === 0) channels?.delete(channel);
    if (channels?.size === 0) this.#close(topic);
  }

  /** Forgets a subscriber that is gone. */
  drop(subscriber: Subscriber): void {
    for (const channel of this.channelsOf(subscriber)) this.unsubscribe(subscriber, channel);
  }

  /** The names that a subscriber listens under. */
  channelsOf(subscriber: Subscriber): readonly string[] {
    return [...(this.#topics.get(subscriber)?.keys() ?? [])];
  }

  /** Tells committed events, in order. Does nothing for those that nobody listens to. */
  publish(events: readonly Published[]): void {
    if (this.#topics.size === 0) return;
    for (const published of events) this.#tell(published);
  }

  #tell({ workflowId, event }: Published): void {
    if (event.type === 'workflow_updated') this.#recheck(event.workflow);
    const byWorkflow = this.#workflows.get(workflowId);
    const byExecution = 'executionId' in event ? this.#executions.get(event.executionId) : undefined;
    if (byWorkflow === undefined && byExecution === undefined) return;
    const seq = (this.#lastSeq.get(workflowId) ?? this.#firstSeq) + 1;
    this.#lastSeq.set(workflowId, seq);
    // All but the channel's name is written once, whoever listens and under however many names.
    const timestamp = this.#ports.now() / 1000;
    const rest = `"timestamp":${timestamp},"seq":${seq},"data":${dataOf(event)}}`;
    for (const channels of [byWorkflow, byExecution]) {
      if (channels !== undefined) deliver(channels, event.type, rest);
    }
  }

  /** Takes the channel from those who may not read the workflow any more, before they are told of it. */
  #recheck(workflow: Workflow): void {
    for (const [channel, subscribers] of [...(this.#workflows.get(workflow.id) ?? [])]) {
      for (const subscriber of [...subscribers]) {
        if (this.#ports.mayRead(subscriber.user, workflow)) continue;
        this.unsubscribe(subscriber, channel);
        subscriber.revoked(channel, notFoundDetail.workflow);
      }
    }
  }

  #channelsOf(topic: Topic): Channels | undefined {
    return topic.kind === 'workflow' ? this.#workflows.get(topic.workflowId) : this.#executions.get(topic.executionId);
  }

  #open(topic: Topic): Channels {
    const channels: Channels = new Map();
    if (topic.kind === 'workflow') this.#workflows.set(topic.workflowId, channels);
    else this.#executions.set(topic.executionId, channels);
    return channels;
  }

  #close(topic: Topic): void {
    if (topic.kind === 'workflow') this.#workflows.delete(topic.workflowId);
    else this.#executions.delete(topic.executionId);
  }
}

/**
 * Bytes of one event's data. A node's output may be far larger than what a listener wants to see pass by, and would
 * count against every reader's buffer: then the event comes without it, and the execution's detail has it.
 */
const maxDataLength = 64 * 1024;

function dataOf(event: LiveEvent): string {
  const data = presentEvent(event);
  const text = JSON.stringify(data);
  if (text.length <= maxDataLength || !('output' in data)) return text;
  const { output: _tooLarge, ...rest } = data;
  return JSON.stringify({ ...rest, output_omitted: true });
}

function deliver(channels: Channels, type: LiveEvent['type'], rest: string): void {
  for (const [channel, subscribers] of [...channels]) {
    const message = Buffer.from(`{"type":"${type}","channel":${JSON.stringify(channel)},${rest}`);
    // A copy: a subscriber that is too slow leaves while it is told.
    for (const subscriber of [...subscribers]) subscriber.deliver(message);
  }
}
