import { withoutLinkTokens } from '@millrace/core';
import { History, type PublishedEvent } from './history.ts';
import type { Topic } from './topic.ts';

/** A receiver of events: a connection. */
export interface Subscriber {
  /** Takes a message as UTF-8 bytes; never throws. An ephemeral message may be dropped. */
  deliver(message: Buffer, isEphemeral?: boolean): void;
  /** The channel was removed: its object may no longer be read. */
  revoked(channel: string, detail: string): void;
}

/** Subscribers by name: after a rename, old and new subscribers use different names for one topic. */
type Channels = Map<string, Map<Subscriber, Topic['access']>>;

/** The events of one workflow: its subscribers and the most recent events. */
export class Feed {
  readonly history: History;
  readonly #workflow: Channels = new Map();
  readonly #executions = new Map<string, Channels>();

  constructor(floor: number) {
    this.history = new History(floor);
  }

  get hasSubscribers(): boolean {
    return this.#workflow.size > 0 || this.#executions.size > 0;
  }

  add(subscriber: Subscriber, channel: string, topic: Topic): void {
    const channels = this.#channelsOf(topic);
    const listeners = channels.get(channel) ?? new Map<Subscriber, Topic['access']>();
    channels.set(channel, listeners.set(subscriber, topic.access));
  }

  remove(subscriber: Subscriber, channel: string, topic: Topic): void {
    const channels = this.#channelsOf(topic);
    const listeners = channels.get(channel);
    listeners?.delete(subscriber);
    if (listeners?.size === 0) channels.delete(channel);
    if (channels.size === 0 && topic.kind === 'execution') this.#executions.delete(topic.executionId);
  }

  /** Subscribers who may read the workflow only because it is public, with their names for it. */
  publicViewers(): readonly (readonly [channel: string, subscriber: Subscriber])[] {
    return [...this.#workflow].flatMap(([channel, listeners]) =>
      [...listeners].flatMap(([subscriber, access]) => (access === 'public' ? [[channel, subscriber] as const] : [])),
    );
  }

  /** Stores the event and sends it to all subscribers it concerns. */
  publish(event: PublishedEvent): void {
    this.history.add(event);
    this.#deliver(event, false);
  }

  /** The same without storing it. */
  publishEphemeral(event: PublishedEvent): void {
    this.history.pass(event.seq);
    this.#deliver(event, true);
  }

  /** Whether this run has subscribers. */
  runHasSubscribers(executionId: string): boolean {
    if (this.#executions.has(executionId)) return true;
    return [...this.#workflow.values()].some((listeners) =>
      [...listeners.values()].some((access) => access !== 'public'),
    );
  }

  #deliver(event: PublishedEvent, isEphemeral: boolean): void {
    deliver(this.#workflow, event, isEphemeral);
    const ofRun = event.executionId === null ? undefined : this.#executions.get(event.executionId);
    if (ofRun !== undefined) deliver(ofRun, event, isEphemeral);
  }

  #channelsOf(topic: Topic): Channels {
    if (topic.kind === 'workflow') return this.#workflow;
    const channels: Channels = this.#executions.get(topic.executionId) ?? new Map();
    this.#executions.set(topic.executionId, channels);
    return channels;
  }
}

/** The message of an event under one name of its topic, for members or public viewers. */
export function messageOf(event: PublishedEvent, channel: string, access: Topic['access']): Buffer {
  const rest = restFor(event, access);
  return Buffer.from(`{"type":"${event.type}","channel":${JSON.stringify(channel)},${rest}`);
}

function restFor({ rest, publicRest }: PublishedEvent, access: Topic['access']): string {
  if (access === 'viewer') return withoutLinkTokens(rest);
  return access === 'member' ? rest : publicRest;
}

/** Whether an event is for the subscribers of a topic. */
export function concerns(topic: Topic, { executionId }: PublishedEvent): boolean {
  if (topic.kind === 'execution') return executionId === topic.executionId;
  return topic.access !== 'public' || executionId === null;
}

function deliver(channels: Channels, event: PublishedEvent, isEphemeral: boolean): void {
  for (const [channel, listeners] of [...channels]) {
    const messages = new Map<Topic['access'], Buffer>();
    // A copy, because a slow subscriber unsubscribes during the loop.
    for (const [subscriber, access] of [...listeners]) {
      if (access === 'public' && event.executionId !== null) continue;
      const message = messages.get(access) ?? messageOf(event, channel, access);
      messages.set(access, message);
      subscriber.deliver(message, isEphemeral);
    }
  }
}
