import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** When a schedule would fire next. */
export function scheduleTimesQuery(timing: Schemas['ScheduleTimesRequest']) {
  return queryOptions({
    queryKey: ['schedule-times', timing],
    queryFn: async () => (await answerOf(client.POST('/api/v1/schedules/times/', { body: timing }))).times,
    retry: false,
  });
}
