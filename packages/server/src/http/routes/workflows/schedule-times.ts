import { scheduleTimes, scheduleTimesRequest } from '@millrace/contract';
import { formatInstant, type JsonObject } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { SchedulePreviews } from '../../../services/previews/schedule-previews.ts';
import { addRoute } from '../../plumbing/route.ts';

/** The endpoint that shows when a schedule would fire. */
export function addScheduleTimes(app: FastifyInstance, schedulePreviews: SchedulePreviews): void {
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
