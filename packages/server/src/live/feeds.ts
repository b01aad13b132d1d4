import type { Clock } from '../ground/clock.ts';
import { Feed } from './feed.ts';

/** How long a feed without subscribers is retained: a client that lost its connection reconnects much sooner. */
const retentionMs = 10 * 60_000;
/** The limit for all histories together; the rest of the process needs little in comparison. */
const maxAllHistoryBytes = 64 * 1024 * 1024;

/**
 * The feeds of workflows that have subscribers, or had some in the last minutes. Other workflows have none, so their
 * events cost one map look-up.
 */
export class Feeds {
  readonly #feeds = new Map<number, Feed>();
  /** Feeds without subscribers, oldest first, with the time since when, on the monotonic clock. */
  readonly #idle = new Map<number, number>();
  readonly #clock: Clock;
  #floor: number;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    // In microseconds: as long as a process publishes fewer than a million events per second on average, its numbers
    // stay below those of any later process, so they only grow, even over restarts.
    this.#floor = Math.floor(clock.now() * 1000) - 1;
  }

  get(workflowId: number): Feed | undefined {
    return this.#feeds.get(workflowId);
  }

  /** The workflow's feed, for a new subscriber. */
  open(workflowId: number): Feed {
    this.#forgetStale();
    this.#idle.delete(workflowId);
    const known = this.#feeds.get(workflowId);
    if (known !== undefined) return known;
    // Higher than every number of deleted feeds of this workflow: a client with such a number has missed events.
    this.#floor += 1;
    const feed = new Feed(this.#floor);
    this.#feeds.set(workflowId, feed);
    return feed;
  }

  /** A subscriber has left the feed. */
  left(workflowId: number): void {
    if (this.#feeds.get(workflowId)?.hasSubscribers === false) this.#idle.set(workflowId, this.#clock.monotonic());
  }

  /** Publishes an event of this feed within the limits of all feeds. */
  publish(feed: Feed, event: Parameters<Feed['publish']>[0]): void {
    const before = feed.history.bytes;
    feed.publish(event);
    this.#bytes += feed.history.bytes - before;
    if (this.#idle.size > 0) this.#forgetStale();
    while (this.#bytes > maxAllHistoryBytes && this.#idle.size > 0) this.#forgetLongestIdle();
    while (this.#bytes > maxAllHistoryBytes && feed.history.bytes > 0) {
      const full = feed.history.bytes;
      feed.history.dropOldest();
      this.#bytes -= full - feed.history.bytes;
    }
  }

  #forgetStale(): void {
    const limit = this.#clock.monotonic() - retentionMs;
    for (const since of this.#idle.values()) {
      if (since > limit) return;
      this.#forgetLongestIdle();
    }
  }

  #forgetLongestIdle(): void {
    const workflowId = this.#idle.keys().next().value;
    const feed = workflowId === undefined ? undefined : this.#feeds.get(workflowId);
    if (workflowId === undefined || feed === undefined) return;
    this.#idle.delete(workflowId);
    this.#feeds.delete(workflowId);
    this.#bytes -= feed.history.bytes;
    this.#floor = Math.max(this.#floor, feed.history.lastSeq);
  }
}
