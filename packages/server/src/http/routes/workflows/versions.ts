import {
  pageQuery,
  presentDetail,
  presentVersion,
  presentVersionDetail,
  restoreConflict,
  restoreRequest,
  versionDetail,
  versionList,
  workflowDetail,
} from '@millrace/contract';
import { effectiveVersion, type Schedule, type User, type Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Schedules } from '../../../services/triggers/schedules.ts';
import type { VersionDetail, Versions } from '../../../services/workflows/versions.ts';
import { numberParameter } from '../../openapi/path-parameters.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, JsonText, pathId } from '../../plumbing/route.ts';
import { staleRejection } from '../../plumbing/stale-rejection.ts';
import { whileOpen } from '../../plumbing/waiting-request.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface VersionRoutes {
  readonly versions: Versions;
  readonly schedules: Schedules;
  readonly access: WorkflowAccess;
}

/** The version that a path names. */
interface Named {
  readonly workflow: Workflow;
  readonly version: number | null;
}

const tag = 'Graph';
const collection = '/api/v1/workflows/:slug/versions/';
const item = `${collection}:version/`;
const params = { version: numberParameter('The number of the version.') };

/**
 * The endpoints of a workflow's versions. Only members see them: a public workflow's old versions may contain what was
 * removed before it was made public.
 */
export function addVersions(app: FastifyInstance, { versions, schedules, access }: VersionRoutes): void {
  const named = (workflow: Workflow, params: Readonly<Record<string, string>>): Named => ({
    workflow,
    version: pathId(params.version),
  });
  // Only the version that triggers run has schedules.
  const schedulesOf = async (workflow: Workflow, { info, graph }: VersionDetail, user: User) =>
    info.version === effectiveVersion(workflow) ? schedules.of(workflow, graph, user) : new Map<number, Schedule>();

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listVersions',
    summary: 'Lists the versions of a workflow, newest first',
    tag,
    access: 'member',
    query: pageQuery,
    success: { status: 200, schema: versionList },
    load: access.forMembers,
    handle: async ({ loaded, query }) => {
      const { items, total } = await versions.list(loaded, query);
      return { items: items.map(presentVersion), total };
    },
  });
  addRoute(app, {
    method: 'GET',
    path: item,
    params,
    operationId: 'getVersion',
    summary: 'Reads a version of a workflow with its nodes and edges',
    tag,
    access: 'member',
    success: { status: 200, schema: versionDetail },
    errors: [503],
    load: async (caller, params) => named(await access.forMembers(caller, params), params),
    handle: ({ caller: { user }, loaded, request }) =>
      whileOpen(request, (gone) =>
        versions.read({ user, gone }, loaded, async (found) => {
          const schedules = await schedulesOf(loaded.workflow, found, user);
          return new JsonText(await jsonInPieces(presentVersionDetail(found.info, found.graph, schedules)));
        }),
      ),
  });
  addRoute(app, {
    method: 'POST',
    path: `${item}restore/`,
    params,
    operationId: 'restoreVersion',
    summary: 'Restores the graph of an earlier version as the newest version',
    tag,
    access: 'editor',
    body: restoreRequest.optional(),
    examples: [{}],
    success: { status: 200, schema: workflowDetail },
    rejections: { 409: restoreConflict.describe('`base_version` is not the current version.') },
    load: async (caller, params) => named(await access.forWriting(caller, params), params),
    handle: ({ caller: { user }, loaded, body: { base_version: baseVersion = null } = {}, request }) =>
      whileOpen(request, (gone) =>
        versions.read({ user, gone }, loaded, async (target) => {
          const outcome = await versions.restore(user, loaded.workflow, { target, baseVersion });
          if (outcome.kind === 'stale') return staleRejection(schedules, user, { ...outcome, base: baseVersion ?? 0 });
          const { workflow, graph } = outcome;
          const detail = presentDetail(workflow, graph, await schedules.of(workflow, graph, user));
          return new JsonText(await jsonInPieces(detail));
        }),
      ),
  });
}
