import { answerOf } from '@millrace/client';
import { client } from './client.ts';

export type ScheduleAction = 'start' | 'pause' | 'stop';

/** Starts, pauses or stops a schedule. */
export function steerSchedule(slug: string, nodeId: string, action: ScheduleAction) {
  const params = { path: { slug, node_id: nodeId } };
  switch (action) {
    case 'start':
      return answerOf(client.POST('/api/v1/workflows/{slug}/nodes/{node_id}/schedule/start/', { params }));
    case 'pause':
      return answerOf(client.POST('/api/v1/workflows/{slug}/nodes/{node_id}/schedule/pause/', { params }));
    case 'stop':
      return answerOf(client.POST('/api/v1/workflows/{slug}/nodes/{node_id}/schedule/stop/', { params }));
  }
}
