import type { Workflow } from '@millrace/core';

/** Live workflows kept by slug: about 1 kB each; past it the one kept first goes. */
const maxKept = 10_000;

/**
 * The rows of workflows that webhooks ask for again and again. Right because this process alone writes the database (it
 * holds the lock on the data directory) and forgets a workflow with the commit that changes it.
 */
export class KeptWorkflows {
  readonly #bySlug = new Map<string, Workflow>();
  readonly #slugs = new Map<number, string>();

  get(slug: string): Workflow | undefined {
    return this.#bySlug.get(slug);
  }

  keep(workflow: Workflow): void {
    const oldest = this.#bySlug.values().next().value;
    if (this.#bySlug.size >= maxKept && oldest !== undefined) this.forget(oldest.id);
    this.#bySlug.set(workflow.slug, workflow);
    this.#slugs.set(workflow.id, workflow.slug);
  }

  forget(id: number): void {
    const slug = this.#slugs.get(id);
    if (slug === undefined) return;
    this.#slugs.delete(id);
    this.#bySlug.delete(slug);
  }
}
