import { type Json, jsonSize, type Workflow } from '@millrace/core';
import { WeighedCache } from '../../../ground/weighed-cache.ts';
import type { GraphMove } from '../database/effects.ts';

/** Estimated memory for the workflows cached by slug; beyond it the least recently used one is dropped. */
const maxWorkflowCacheBytes = 16 * 1024 * 1024;
/** A workflow without its texts. */
const workflowBytes = 1000;
/** Bytes of memory per character of a text, or of a schema as JSON. */
const characterBytes = 4;

/**
 * A cache of the workflow rows that webhooks read again and again. It is correct because only this process writes
 * workflows (it holds the lock on the database) and updates each entry with the commit that changes the workflow.
 */
export class WorkflowCache {
  readonly #bySlug = new WeighedCache<string, Workflow>(maxWorkflowCacheBytes, ({ id }) => this.#slugs.delete(id));
  readonly #slugs = new Map<number, string>();

  get(slug: string): Workflow | undefined {
    return this.#bySlug.get(slug);
  }

  add(workflow: Workflow): void {
    this.#slugs.set(workflow.id, workflow.slug);
    this.#bySlug.set(workflow.slug, workflow, weight(workflow));
  }

  /** A commit changed the row: either by a save of its graph, or in other ways that require reading the row. */
  follow(id: number, move: GraphMove | null): void {
    const slug = this.#slugs.get(id);
    const workflow = slug === undefined ? undefined : this.#bySlug.get(slug);
    if (workflow === undefined) return;
    if (move === null) this.#bySlug.delete(workflow.slug);
    else this.add(moved(workflow, move));
  }
}

/** The approximate bytes of memory: a schema may have 64 KiB. */
function weight({ description, tags, inputSchema, outputSchema, concurrencyKey }: Workflow): number {
  const texts: readonly (Json | undefined)[] = [description, tags, inputSchema, outputSchema, concurrencyKey];
  const characters = texts.reduce<number>((sum, text) => sum + jsonSize(text ?? null, Number.POSITIVE_INFINITY), 0);
  return workflowBytes + characters * characterBytes;
}

function moved(workflow: Workflow, { version, updatedAt, nodes, edges }: GraphMove): Workflow {
  const { nodeCount, edgeCount } = workflow;
  return { ...workflow, version, updatedAt, nodeCount: nodeCount + nodes, edgeCount: edgeCount + edges };
}
