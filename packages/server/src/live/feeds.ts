import type { Instant } from '@millrace/core';
import { Feed } from './feed.ts';

/** How long a feed that nobody hears goes on being kept: a client that lost its connection is back long before. */
const keptForMs = 10 * 60_000;
/** Of all histories together: beside it, what the process needs anyway is small. */
const maxAllHistoryBytes = 64 * 1024 * 1024;

/**
 * The feeds of the workflows that somebody hears, or heard some minutes ago. All others have none, so that an event
 * that nobody ever asked for costs one look into a map.
 */
export class Feeds {
  readonly #feeds = new Map<number, Feed>();
  /** Those that nobody hears, longest first, with the moment since when. */
  readonly #idle = new Map<number, Instant>();
  readonly #now: () => Instant;
  #floor: number;
  #bytes = 0;

  constructor(now: () => Instant) {
    this.#now = now;
    // Microseconds: a process that tells less than a million events a second for its whole life counts on where no
    // earlier one came to, so numbers only grow, over restarts too.
    this.#floor = Math.floor(now() * 1000) - 1;
  }

  get(workflowId: number): Feed | undefined {
    return this.#feeds.get(workflowId);
  }

  /** The workflow's feed, for somebody who is about to listen. */
  open(workflowId: number): Feed {
    this.#forgetStale();
    this.#idle.delete(workflowId);
    const known = this.#feeds.get(workflowId);
    if (known !== undefined) return known;
    // Above all that feeds of this workflow, now forgotten, gave away: whoever comes with such a number missed something.
    this.#floor += 1;
    const feed = new Feed(this.#floor);
    this.#feeds.set(workflowId, feed);
    return feed;
  }

  /** Somebody has left the feed. */
  left(workflowId: number): void {
    if (this.#feeds.get(workflowId)?.isHeard === false) this.#idle.set(workflowId, this.#now());
  }

  /** Tells an event of this feed, within the bounds of all. */
  tell(feed: Feed, event: Parameters<Feed['tell']>[0]): void {
    const before = feed.history.bytes;
    feed.tell(event);
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
    const limit = this.#now() - keptForMs;
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
