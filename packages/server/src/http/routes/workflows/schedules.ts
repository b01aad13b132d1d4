import {
  pageQuery,
  presentListedSchedule,
  scheduleList,
  scheduleTimes,
  scheduleTimesRequest,
} from '@millrace/contract';
import { formatInstant, type JsonObject } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { ScheduleLists } from '../../../services/previews/schedule-lists.ts';
import type { SchedulePreviews } from '../../../services/previews/schedule-previews.ts';
import { addRoute } from '../../plumbing/route.ts';

interface Services {
  readonly scheduleLists: ScheduleLists;
  readonly schedulePreviews: SchedulePreviews;
}

/** The endpoints of all schedules, and of times that are not stored. */
export function addSchedules(app: FastifyInstance, { scheduleLists, schedulePreviews }: Services): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/schedules/',
    operationId: 'listSchedules',
    summary: "Lists the schedules of the caller's workflows with their next times, the next to fire first",
    tag: 'Workflows',
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: scheduleList },
    handle: async ({ caller, query }) => {
      const { items, total } = await scheduleLists.list(caller.user, query);
      return { items: items.map(presentListedSchedule), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/schedules/times/',
    operationId: 'listScheduleTimes',
    summary: 'Returns the next times of a schedule, without storing it',
    tag: 'Workflows',
    access: 'user',
    body: scheduleTimesRequest,
    examples: [{ cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' }],
    success: { status: 200, schema: scheduleTimes },
    handle: async ({ body }) => ({ times: schedulePreviews.next(body as JsonObject).map(formatInstant) }),
  });
}
