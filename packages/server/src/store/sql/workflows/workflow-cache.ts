import type { Workflow } from '@millrace/core';
import type { GraphMove } from '../database/effects.ts';

/** Live workflows kept by slug: about 1 kB each; past it the one kept first goes. */
const maxKept = 10_000;

/**
 * The rows of workflows that webhooks ask for again and again. Right because this process alone writes workflows (it
 * holds the lock on the database) and follows each workflow with the commit that changes it.
 */
export class KeptWorkflows {
  readonly #bySlug = new Map<string, Workflow>();
  readonly #slugs = new Map<number, string>();

  get(slug: string): Workflow | undefined {
    return this.#bySlug.get(slug);
  }

  keep(workflow: Workflow): void {
    const oldest = this.#bySlug.values().next().value;
    if (this.#bySlug.size >= maxKept && oldest !== undefined) this.#forget(oldest);
    this.#bySlug.set(workflow.slug, workflow);
    this.#slugs.set(workflow.id, workflow.slug);
  }

  /** A commit changed the row: by a save of its graph, or else in ways that only the row tells. */
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
