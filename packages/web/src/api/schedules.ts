import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type ListedSchedule = Schemas['ListedSchedule'];

/** The key of all lists of schedules. */
export const schedulesKey = ['schedules'] as const;

/** One page of the schedules that the user may see, the next to fire first. */
export function schedulesQuery(page: { readonly limit: number; readonly offset: number }) {
  return queryOptions({
    queryKey: [...schedulesKey, page],
    queryFn: () => answerOf(client.GET('/api/v1/schedules/', { params: { query: { ...page } } })),
    // The next times pass: a list that is open follows them.
    refetchInterval: 30_000,
  });
}

/** When a schedule would fire next. */
export function scheduleTimesQuery(timing: Schemas['ScheduleTimesRequest']) {
  return queryOptions({
    queryKey: ['schedule-times', timing],
    queryFn: async () => (await answerOf(client.POST('/api/v1/schedules/times/', { body: timing }))).times,
    retry: false,
  });
}
