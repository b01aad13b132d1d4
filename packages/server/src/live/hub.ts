import { presentEvent } from '@millrace/contract';
import { type LiveEvent, type Published, publicNode, withoutPast } from '@millrace/core';
import type { Clock } from '../ground/clock.ts';
import { concerns, type Feed, messageOf, type Subscriber } from './feed.ts';
import { Feeds } from './feeds.ts';
import type { Position, PublishedEvent } from './history.ts';
import { notFoundDetail, type Topic } from './topic.ts';

export type { Subscriber } from './feed.ts';

/** The replay for a subscriber who was away. */
export interface Replay {
  /** False if events are missing: the subscriber must read the state again. */
  readonly complete: boolean;
  readonly messages: readonly Buffer[];
}

/** Delivers events to subscribers. */
export class Hub {
  readonly #clock: Clock;
  readonly #feeds: Feeds;
  readonly #topics = new Map<Subscriber, Map<string, Topic>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#feeds = new Feeds(clock);
  }

  /**
   * Subscribes to a channel. If the subscriber already has this channel, its topic is replaced.
   * @returns the position of the last event before the subscription
   */
  subscribe(subscriber: Subscriber, channel: string, topic: Topic): Position {
    this.unsubscribe(subscriber, channel);
    const own = this.#topics.get(subscriber) ?? new Map<string, Topic>();
    this.#topics.set(subscriber, own.set(channel, topic));
    const feed = this.#feeds.open(topic.workflowId);
    feed.add(subscriber, channel, topic);
    const { lastSeq: seq, epoch } = feed.history;
    return { seq, epoch };
  }

  /**
   * The events of this channel after a position.
   * @param may whether the subscriber may get so many; otherwise the replay is incomplete, and has none
   */
  replay(channel: string, topic: Topic, after: Position, may: (events: number) => boolean = () => true): Replay {
    const feed = this.#feeds.get(topic.workflowId);
    if (feed === undefined) return { complete: false, messages: [] };
    const { complete, events } = feed.history.after(after);
    const own = events.filter((event) => concerns(topic, event));
    if (!may(own.length)) return { complete: false, messages: [] };
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

  /** Removes a subscriber that has left. */
  drop(subscriber: Subscriber): void {
    for (const [channel] of this.topicsOf(subscriber)) this.unsubscribe(subscriber, channel);
  }

  /** The topics of a subscriber, by the names it uses. */
  topicsOf(subscriber: Subscriber): ReadonlyMap<string, Topic> {
    return new Map(this.#topics.get(subscriber));
  }

  /** Unsubscribes a subscriber who may no longer read the channel's object, and sends it an error. */
  revoke(subscriber: Subscriber, channel: string): void {
    const topic = this.#topics.get(subscriber)?.get(channel);
    if (topic === undefined) return;
    this.unsubscribe(subscriber, channel);
    subscriber.revoked(channel, notFoundDetail[topic.kind]);
  }

  /**
   * Publishes committed events in order. Events of workflows without recent subscribers are dropped after one map
   * lookup.
   */
  publish(events: readonly Published[]): void {
    for (const published of events) this.#publish(published);
  }

  /** Whether this run has subscribers now. */
  runHasSubscribers({
    workflowId,
    executionId,
  }: {
    readonly workflowId: number;
    readonly executionId: string;
  }): boolean {
    return this.#feeds.get(workflowId)?.runHasSubscribers(executionId) ?? false;
  }

  /** Publishes an ephemeral event: it is not stored for replays, and slow readers do not receive it. */
  publishEphemeral({ workflowId, event }: Published): void {
    const feed = this.#feeds.get(workflowId);
    if (feed?.hasSubscribers === true) feed.publishEphemeral(this.#publishedEvent(feed, event));
  }

  #publish({ workflowId, event }: Published): void {
    const feed = this.#feeds.get(workflowId);
    if (feed === undefined) return;
    // Public viewers must not receive this event: from now on only members may read the workflow.
    if (event.type === 'workflow_updated' && !event.workflow.isPublic) {
      for (const [channel, subscriber] of feed.publicViewers()) this.revoke(subscriber, channel);
    }
    this.#feeds.publish(feed, this.#publishedEvent(feed, event));
  }

  #publishedEvent(feed: Feed, event: LiveEvent): PublishedEvent {
    const seq = feed.history.lastSeq + 1;
    // Everything but the channel name is serialised once, regardless of the number of subscribers and names.
    const version = 'version' in event && event.version !== undefined ? `"version":${event.version},` : '';
    const head = `"timestamp":${this.#clock.now() / 1000},"seq":${seq},${version}"data":`;
    const rest = `${head}${dataOf(event)}}`;
    const executionId = 'executionId' in event ? event.executionId : null;
    const shown = forPublicViewer(event);
    const publicRest = shown === event ? rest : `${head}${dataOf(shown)}}`;
    return { seq, type: event.type, executionId, rest, publicRest };
  }
}

/** The event as a GET shows its object to public viewers; the same object if it contains nothing of runs. */
function forPublicViewer(event: LiveEvent): LiveEvent {
  if (event.type !== 'node_created' && event.type !== 'node_updated') return event;
  const node = publicNode(event.node);
  if (event.schedule !== undefined) return { ...event, node, schedule: withoutPast(event.schedule) };
  return node === event.node ? event : { ...event, node };
}

/**
 * The maximum length of an event's data. A larger output would fill the buffers of all subscribers: it is omitted, and
 * the execution's detail contains it.
 */
const maxDataLength = 64 * 1024;

function dataOf(event: LiveEvent): string {
  const data = presentEvent(event);
  const text = JSON.stringify(data);
  if (text.length <= maxDataLength || !('output' in data)) return text;
  const { output: _tooLarge, ...rest } = data;
  return JSON.stringify({ ...rest, output_omitted: true });
}
