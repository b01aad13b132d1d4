import type { Workflow } from './graph.ts';

/** The versions of a workflow. */
type Versions = Pick<Workflow, 'version' | 'publishedVersion'>;

/** The version that triggers run: the published one, or the newest of a live workflow. */
export function effectiveVersion({ version, publishedVersion }: Versions): number {
  return publishedVersion ?? version;
}

/** Whether a workflow has a draft: a newest version that its triggers do not run. */
export function hasUnpublishedChanges(versions: Versions): boolean {
  return effectiveVersion(versions) !== versions.version;
}
