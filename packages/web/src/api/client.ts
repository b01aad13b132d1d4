import { createClient } from '@millrace/client';
import { exactJsonText } from '@millrace/core/exact-json';

/** The service that served this page. Large numbers of an execution, sent back as they are, stay numbers. */
export const client = createClient({ bodySerializer: (body) => exactJsonText(body) });

/** Whether the session of this browser ended while a page is open: it expired, or was ended elsewhere. */
class SessionEnd {
  #hasEnded = false;
  readonly #watchers = new Set<() => void>();
  readonly #renewals = new Set<() => void>();

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Calls back after each change; returns the function that ends this. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  /** Calls back when somebody has logged in again; returns the function that ends this. */
  onRenewal(renewed: () => void): () => void {
    this.#renewals.add(renewed);
    return () => void this.#renewals.delete(renewed);
  }

  ended(): void {
    this.#set(true);
  }

  renewed(): void {
    if (!this.#hasEnded) return;
    this.#set(false);
    for (const renewed of this.#renewals) renewed();
  }

  #set(hasEnded: boolean): void {
    this.#hasEnded = hasEnded;
    for (const changed of this.#watchers) changed();
  }
}

/** The session of this browser. */
export const sessionEnd = new SessionEnd();

client.use({
  onResponse({ request, response }) {
    // A rejected login says nothing about the session.
    if (response.status === 401 && !new URL(request.url).pathname.startsWith('/api/v1/auth/')) sessionEnd.ended();
  },
});
