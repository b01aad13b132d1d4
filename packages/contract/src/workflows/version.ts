import { formatInstant, type Graph } from '@millrace/core';
import { z } from 'zod';
import { errorBody } from '../base/error.ts';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { edge } from './edge.ts';
import { node, nodeExample, type SchedulesById } from './node.ts';
import { presentPublication, publication } from './publication.ts';
import { presentGraph, workflowDetail, workflowExample } from './workflow.ts';

const counts = z.object({ created: z.int(), updated: z.int(), deleted: z.int() });
type Counts = z.infer<typeof counts>;

const versionExample = {
  version: 4,
  created_at: '2026-01-31T12:30:00.000000',
  author: 'operator',
  restored_from: null,
  nodes: { created: 1, updated: 0, deleted: 0 },
  edges: { created: 0, updated: 0, deleted: 0 },
  publication: null,
};

/** A version of a workflow's graph, without the graph. */
const version = named(
  'Version',
  z.object({
    version: z.int(),
    created_at: timestamp,
    author: z
      .string()
      .nullable()
      .describe('The user who created it; null if the service created it or the user was deleted.'),
    restored_from: z.int().nullable().describe('The earlier version whose graph it restored.'),
    nodes: counts.describe('The number of changed nodes.'),
    edges: counts.describe('The number of changed edges.'),
    publication: publication
      .nullable()
      .describe('The last publication of this version; null if it was never published.'),
  }),
  { description: "A version of a workflow's graph.", example: versionExample },
);
type VersionBody = z.infer<typeof version>;

export const versionList = pageOf('VersionList', version);

/** A version with its graph. */
export const versionDetail = named(
  'VersionDetail',
  z.object({ ...version.shape, graph: z.object({ nodes: z.array(node), edges: z.array(edge) }) }),
  {
    description: "A version of a workflow's graph, with the graph.",
    example: { ...versionExample, graph: { nodes: [nodeExample], edges: [] } },
  },
);

/** How to restore a version. */
export const restoreRequest = named(
  'VersionRestoreRequest',
  z.object({
    base_version: z
      .int()
      .positive()
      .optional()
      .describe('The version that the caller has; if it is not the current one, nothing is restored.'),
  }),
  { description: 'How to restore a version.' },
);

const staleExample = {
  detail: 'The workflow is at version 4, not 3.',
  workflow: { ...workflowExample, nodes: [nodeExample], edges: [] },
};

/** The body of a 409 for a version that is not the current one. */
export const staleBody = named(
  'StaleVersion',
  z.object({ detail: z.string(), workflow: workflowDetail.describe('The current workflow.') }),
  { description: 'The graph has a newer version.', example: staleExample },
);

/** The body of a 409 for a version that cannot be restored. */
export const restoreConflict = named('VersionRestoreConflict', z.union([staleBody, errorBody]), {
  description: 'The current workflow, or the error.',
  example: staleExample,
});

interface Version {
  readonly version: number;
  readonly createdAt: number;
  readonly author: string | null;
  readonly restoredFrom: number | null;
  readonly nodes: Counts;
  readonly edges: Counts;
  readonly publication: Parameters<typeof presentPublication>[0] | null;
}

/** A version as the API shows it. */
export function presentVersion(shown: Version): VersionBody {
  const { version, createdAt, author, restoredFrom, nodes, edges } = shown;
  const publication = shown.publication === null ? null : presentPublication(shown.publication);
  return {
    version,
    created_at: formatInstant(createdAt),
    author,
    restored_from: restoredFrom,
    nodes,
    edges,
    publication,
  };
}

/** A version with its graph, as the API shows it. */
export function presentVersionDetail(
  version: Version,
  graph: Graph,
  schedules: SchedulesById,
): z.infer<typeof versionDetail> {
  return { ...presentVersion(version), graph: presentGraph(graph, schedules) };
}
