import type { Workflow } from '@millrace/core';
import type { GraphMove } from '../database/effects.ts';

/** Live workflows cached by slug, about 1 kB each; beyond this the one cached first is removed. */
const maxCached = 10_000;

/**
 * A cache of the workflow rows that webhooks read again and again. It is correct because only this process writes
 * workflows (it holds the lock on the database) and updates each entry with the commit that changes the workflow.
 */
export class WorkflowCache {
  readonly #bySlug = new Map<string, Workflow>();
  readonly #slugs = new Map<number, string>();

  get(slug: string): Workflow | undefined {
    return this.#bySlug.get(slug);
  }

  add(workflow: Workflow): void {
    const oldest = this.#bySlug.values().next().value;
    if (this.#bySlug.size >= maxCached && oldest !== undefined) this.#forget(oldest);
    this.#bySlug.set(workflow.slug, workflow);
    this.#slugs.set(workflow.id, workflow.slug);
  }

  /** A commit changed the row: either by a save of its graph, or in other ways that require reading the row. */
  follow(id: number, move: GraphMove | null): void {
    const slug = this.#slugs.get(id);
    const workflow = slug === undefined ? undefined : this.#bySlug.get(slug);
    if (workflow === undefined) return;
    if (move === null) this.#forget(workflow);
    else this.#bySlug.set(workflow.slug, moved(workflow, move));
  }

  #forget({ id, slug }: Workflow): void {
    this.#slugs.delete(id);
    this.#bySlug.delete(slug);
  }
}

function moved(workflow: Workflow, { version, updatedAt, nodes, edges }: GraphMove): Workflow {
  const { nodeCount, edgeCount } = workflow;
  return { ...workflow, version, updatedAt, nodeCount: nodeCount + nodes, edgeCount: edgeCount + edges };
}
