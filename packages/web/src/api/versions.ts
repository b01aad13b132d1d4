import { ApiError, answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import type { Workflow } from './workflows.ts';

/** The versions of a workflow, newest first. */
export function versionsQuery(slug: string, page: { readonly limit: number; readonly offset: number }) {
  return queryOptions({
    queryKey: ['workflows', 'versions', slug, page],
    queryFn: () =>
      answerOf(client.GET('/api/v1/workflows/{slug}/versions/', { params: { path: { slug }, query: { ...page } } })),
  });
}

/** A version with its graph. Stored versions never change. */
export function versionQuery(slug: string, version: number) {
  return queryOptions({
    queryKey: ['workflows', 'version', slug, version],
    queryFn: () =>
      answerOf(client.GET('/api/v1/workflows/{slug}/versions/{version}/', { params: { path: { slug, version } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What to publish. */
export interface Publication {
  readonly note: string | null;
  /** Also if the version has errors. */
  readonly force: boolean;
}

/** The errors of a version that was not published. */
export interface RejectedPublication {
  readonly issues: readonly Schemas['Issue'][];
}

/** Publishes the newest version. @throws ApiError */
export async function publish(slug: string, { note, force }: Publication): Promise<Workflow | RejectedPublication> {
  const path = '/api/v1/workflows/{slug}/publish/';
  try {
    return await answerOf(client.POST(path, { params: { path: { slug } }, body: { note, force } }));
  } catch (error) {
    const { issues } = error instanceof ApiError ? (error.body as Partial<RejectedPublication>) : {};
    if (issues !== undefined) return { issues };
    throw error;
  }
}

/** Makes the workflow live again: triggers run its newest version. */
export function unpublish(slug: string): Promise<Workflow> {
  return answerOf(client.POST('/api/v1/workflows/{slug}/unpublish/', { params: { path: { slug } } }));
}

/** Makes the graph of an earlier version the newest one. @throws ApiError with status 409 if `base` is not the newest */
export function restore(slug: string, version: number, base: number): Promise<unknown> {
  const path = '/api/v1/workflows/{slug}/versions/{version}/restore/';
  return answerOf(client.POST(path, { params: { path: { slug, version } }, body: { base_version: base } }));
}
