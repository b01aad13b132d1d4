import type { CollaboratorRole, Execution } from '@millrace/core';
import { slices } from '../../../ground/slices.ts';
import type { ExecutionFilter } from '../../executions.ts';
import type { Page } from '../../page.ts';
import type { Connection } from '../database/connection.ts';
import type { Counts } from '../queue/counts.ts';
import {
  contains,
  containsBesideLinks,
  containsBesideLinksFunction,
  containsFunction,
  isOpenStatus,
  type Look,
  looksQuery,
  type OwnedFilter,
  type Place,
  pageQuery,
  placesQuery,
  searchQuery,
} from './execution-query.ts';
import { type ExecutionRow, toExecution } from './execution-row.ts';

/**
 * Lists runs, newest first. By owner, workflow and status, the total is read and the page scans an index: the cost
 * depends on offset + limit. With times or text there is no such total, and every run that passes the other filters is
 * examined: about half a second for a million runs by time; by text at least 3 µs for each run, growing with its
 * payload and journal, all of which are read. This happens in slices, with other work between them. The same applies to
 * a list of open runs if there are very many of their status, because their index has a different order: its cost
 * depends on the number of runs of any status up to the last one of the page. The runs of a user's own workflows are
 * one list. Each workflow that is shared with the user is another list, and the lists are merged.
 */
export function prepareList(
  connection: Connection,
  counts: Counts,
  byId: (id: string) => Execution | null,
): (filter: ExecutionFilter) => Promise<Page<Execution>> {
  connection.define(containsFunction, contains);
  connection.define(containsBesideLinksFunction, containsBesideLinks);
  const ports: ListPorts = { connection, counts };
  const sharedWith = prepareSharedWith(connection);

  function page(filter: OwnedFilter): Page<Execution> {
    const total = totalOf(counts, filter);
    if (filter.offset >= total) return { items: [], total };
    const { sql, parameters } = pageQuery(filter);
    return { items: connection.all<ExecutionRow>(sql, parameters).map(toExecution), total };
  }

  async function merged(filter: ExecutionFilter, parts: readonly OwnedFilter[]): Promise<Page<Execution>> {
    const found: Places[] = [];
    const isScan = needsScan(filter);
    if (!isScan) {
      const total = await connection.read(() => parts.reduce((sum, part) => sum + totalOf(counts, part), 0));
      if (filter.offset >= total) return { items: [], total };
    }
    for (const part of parts) found.push(await (isScan ? scan(ports, part) : firstPlaces(ports, part)));
    const places = found.flatMap((part) => part.places);
    if (found.length > 1) places.sort(newestFirst);
    // A run that was deleted meanwhile is omitted.
    const items = await connection.read(() =>
      places
        .slice(filter.offset, filter.offset + filter.limit)
        .map((place) => byId(place.id))
        .filter((run) => run !== null),
    );
    return { items, total: found.reduce((sum, part) => sum + part.total, 0) };
  }

  return async (filter) => {
    const { visibleTo, ...rest } = filter;
    const own: OwnedFilter = { ...rest, ownerId: visibleTo };
    const shared = await connection.read(() => sharedWith(visibleTo));
    const named = shared.filter(({ workflowId }) => rest.workflowId === undefined || rest.workflowId === workflowId);
    const parts = [own, ...named.map((part) => ({ ...rest, ...part }))];
    if (parts.length > 1 || needsScan(own) || isCrowded(counts, own)) return merged(filter, parts);
    return connection.read(() => page(own));
  };
}

function needsScan({ q, since, until }: Pick<OwnedFilter, 'q' | 'since' | 'until'>): boolean {
  return q !== undefined || since !== undefined || until !== undefined;
}

interface ListPorts {
  readonly connection: Connection;
  readonly counts: Counts;
}

/**
 * Open runs of one status, of all users, that are read and sorted at once: this takes about 3 ms. No runner runs more.
 */
const mostSorted = 1000;

/** Whether there are too many open runs of this status to be read and sorted at once. */
function isCrowded(counts: Counts, { status }: OwnedFilter): boolean {
  return isOpenStatus(status) && counts.open(status) > mostSorted;
}

/** The live workflows that are shared with a user, with their owners: runs are counted and indexed by both. */
function prepareSharedWith(connection: Connection) {
  const find = connection.prepare<[number], { workflow_id: number; owner_id: number; role: CollaboratorRole }>(
    `SELECT c.workflow_id, w.owner_id, c.role FROM collaborators c JOIN workflows w ON w.id = c.workflow_id
     WHERE c.user_id = ? AND w.deleted_at IS NULL`,
  );
  return (userId: number) =>
    find.all(userId).map(({ workflow_id: workflowId, owner_id: ownerId, role }) => {
      return { workflowId, ownerId, hidesLinks: role === 'viewer' };
    });
}

/** The positions of the first offset + limit runs of a list, and the total number of runs. */
interface Places {
  readonly places: readonly Place[];
  readonly total: number;
}

function totalOf(counts: Counts, { ownerId, workflowId, status }: OwnedFilter): number {
  return counts.total({
    ownerId,
    ...(workflowId !== undefined && { workflowId }),
    ...(status !== undefined && { status }),
  });
}

async function firstPlaces(ports: ListPorts, filter: OwnedFilter): Promise<Places> {
  const total = () => ports.connection.read(() => totalOf(ports.counts, filter));
  const reach = filter.offset + filter.limit;
  const places: Place[] = [];
  if ((await total()) === 0) return { places, total: 0 };
  for await (const slice of placeSlices(ports, filter)) {
    for (const place of slice) places.push(place);
    // After the last run of a status there may be a long history of others. Some runs may have changed status
    // meanwhile.
    if (places.length >= Math.min(reach, await total())) break;
  }
  return { places, total: await total() };
}

// Short enough that one user's search does not delay the requests of others. A single run is searched at once, however
// large it is.
const searchMs = 5;

async function scan(ports: ListPorts, filter: OwnedFilter): Promise<Places> {
  const reach = filter.offset + filter.limit;
  const places: Place[] = [];
  let total = 0;
  const isHit =
    filter.q === undefined ? () => true : prepareSearch(ports.connection, filter.q, filter.hidesLinks ?? false);
  let began = performance.now();
  for await (const slice of placeSlices(ports, filter)) {
    for (const place of slice) {
      if (performance.now() - began > searchMs) {
        await slices.turn();
        began = performance.now();
      }
      if (!(await isHit(place))) continue;
      if (places.length < reach) places.push(place);
      total += 1;
    }
  }
  return { places, total };
}

function prepareSearch(connection: Connection, q: string, hidesLinks: boolean): (place: Place) => Promise<boolean> {
  const { sql, parameters } = searchQuery(q, hidesLinks);
  return ({ id }) =>
    connection.read(() => connection.all<{ readonly hit: number }>(sql, [...parameters, id])[0]?.hit === 1);
}

// 1 ms of reading.
const sliceSize = 500;

/** The positions of all runs that pass all filters but the text, with other work between the slices. */
async function* placeSlices({ connection, counts }: ListPorts, filter: OwnedFilter): AsyncGenerator<readonly Place[]> {
  const isOpen = isOpenStatus(filter.status);
  if (isOpen && !isCrowded(counts, filter)) {
    const { sql, parameters } = placesQuery(filter, null, 'all');
    yield await connection.read(() => connection.all<Place>(sql, parameters));
    return;
  }
  let after: Place | null = null;
  for (;;) {
    const { sql, parameters } = isOpen ? looksQuery(filter, after, sliceSize) : placesQuery(filter, after, sliceSize);
    const slice: readonly (Place & Partial<Look>)[] = await connection.read(() => connection.all(sql, parameters));
    yield isOpen ? slice.filter(({ status }) => status === filter.status) : slice;
    after = slice.at(-1) ?? null;
    if (after === null || slice.length < sliceSize) return;
    await slices.turn();
  }
}

/** The order of the queries: by the text of the columns. */
function newestFirst(a: Place, b: Place): number {
  if (a.acceptedAt !== b.acceptedAt) return a.acceptedAt < b.acceptedAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
