import { presentEvent } from '@millrace/contract';
import { type Instant, type LiveEvent, type Published, type Schedule, withoutPast } from '@millrace/core';
import { concerns, type Feed, messageOf, type Subscriber } from './feed.ts';
import { Feeds } from './feeds.ts';
import type { ToldEvent } from './history.ts';
import { notFoundDetail, type Topic } from './topic.ts';

export type { Subscriber } from './feed.ts';

/** What a subscriber who was away gets. */
export interface Replay {
  /** False where older events are not kept any more: the subscriber has to read anew what they told. */
  readonly complete: boolean;
  readonly messages: readonly Buffer[];
}

/** Brings events to those who listen. */
export class Hub {
  readonly #now: () => Instant;
  readonly #feeds: Feeds;
  readonly #topics = new Map<Subscriber, Map<string, Topic>>();

  constructor(now: () => Instant) {
    this.#now = now;
    this.#feeds = new Feeds(now);
  }

  /**
   * Subscribes, or binds the name anew when the subscriber has it already.
   * @returns the number after which it hears everything
   */
  subscribe(subscriber: Subscriber, channel: string, topic: Topic): number {
    this.unsubscribe(subscriber, channel);
    const own = this.#topics.get(subscriber) ?? new Map<string, Topic>();
    this.#topics.set(subscriber, own.set(channel, topic));
    const feed = this.#feeds.open(topic.workflowId);
    feed.add(subscriber, channel, topic);
    return feed.history.lastSeq;
  }

  /** What a subscriber to this channel missed since the event of this number. */
  replay(channel: string, topic: Topic, after: number): Replay {
    const feed = this.#feeds.get(topic.workflowId);
    if (feed === undefined) return { complete: false, messages: [] };
    const { complete, events } = feed.history.after(after);
    const own = events.filter((event) => concerns(topic, event));
    return { complete, messages: own.map((event) => messageOf(event, channel, topic.access)) };
  }

  unsubscribe(subscriber: Subscriber, channel: string): void {
    const own = this.#topics.get(subscriber);
    const topic = own?.get(channel);
    if (own === undefined || topic === undefined) return;
    own.delete(channel);
    if (own.size === 0) this.#topics.delete(subscriber);
    this.#feeds.get(topic.workflowId)?.remove(subscriber, channel, topic);
    this.#feeds.left(topic.workflowId);
  }

  /** Forgets a subscriber that is gone. */
  drop(subscriber: Subscriber): void {
    for (const [channel] of this.topicsOf(subscriber)) this.unsubscribe(subscriber, channel);
  }

  /** What a subscriber listens to, by the names it uses. */
  topicsOf(subscriber: Subscriber): ReadonlyMap<string, Topic> {
    return new Map(this.#topics.get(subscriber));
  }

  /** Takes the channel from a subscriber who may not read any more what it names, and says so. */
  revoke(subscriber: Subscriber, channel: string): void {
    const topic = this.#topics.get(subscriber)?.get(channel);
    if (topic === undefined) return;
    this.unsubscribe(subscriber, channel);
    subscriber.revoked(channel, notFoundDetail[topic.kind]);
  }

  /** Tells committed events, in order. Those of workflows that nobody asked for lately cost next to nothing. */
  publish(events: readonly Published[]): void {
    for (const published of events) this.#tell(published);
  }

  /** Whether somebody hears of this run at the moment. */
  hears({ workflowId, executionId }: { readonly workflowId: number; readonly executionId: string }): boolean {
    return this.#feeds.get(workflowId)?.hears(executionId) ?? false;
  }

  /** Tells what is only passing: it is not kept for replays, and a reader who is behind does not get it. */
  tellPassing({ workflowId, event }: Published): void {
    const feed = this.#feeds.get(workflowId);
    if (feed?.isHeard === true) feed.tellPassing(this.#told(feed, event));
  }

  #tell({ workflowId, event }: Published): void {
    const feed = this.#feeds.get(workflowId);
    if (feed === undefined) return;
    // Before they are told of it: from now on the workflow is for its members.
    if (event.type === 'workflow_updated' && !event.workflow.isPublic) {
      for (const [channel, subscriber] of feed.guests()) this.revoke(subscriber, channel);
    }
    this.#feeds.tell(feed, this.#told(feed, event));
  }

  #told(feed: Feed, event: LiveEvent): ToldEvent {
    const seq = feed.history.lastSeq + 1;
    // All but the channel's name is written once, whoever listens and under however many names.
    const head = `"timestamp":${this.#now() / 1000},"seq":${seq},"data":`;
    const rest = `${head}${dataOf(event)}}`;
    const executionId = 'executionId' in event ? event.executionId : null;
    const guestRest = isOfSchedule(event) ? `${head}${dataOf(forGuest(event))}}` : rest;
    return { seq, type: event.type, executionId, rest, guestRest };
  }
}

type ScheduleEvent = Extract<LiveEvent, { readonly schedule?: Schedule }> & { readonly schedule: Schedule };

function isOfSchedule(event: LiveEvent): event is ScheduleEvent {
  return 'schedule' in event;
}

function forGuest(event: ScheduleEvent): LiveEvent {
  return { ...event, schedule: withoutPast(event.schedule) };
}

/**
 * Characters of one event's data. A node's output may be far larger than what a listener wants to see pass by, and would
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
