import type { Schemas } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pause, Power, Zap } from 'lucide-react';
import { execute } from '../api/executions.ts';
import { schedulesKey } from '../api/schedules.ts';
import { type ScheduleAction, steerSchedule } from '../api/triggers.ts';
import { workflowQuery } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';

/** A schedule by its workflow and its node. */
interface SchedulePlace {
  readonly slug: string;
  readonly nodeId: string;
  readonly status: Schemas['ScheduleJob']['status'] | null;
}

/** Running a schedule once, and pausing or starting it. */
export function useScheduleActions({ slug, nodeId, status }: SchedulePlace) {
  const cache = useQueryClient();
  const steer = useMutation({
    mutationFn: (action: ScheduleAction) => steerSchedule(slug, nodeId, action),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: workflowQuery(slug).queryKey });
      await cache.invalidateQueries({ queryKey: schedulesKey });
    },
  });
  const run = useMutation({
    mutationFn: () => execute(slug, { trigger: nodeId }),
    onSettled: () => cache.invalidateQueries({ queryKey: ['executions'] }),
  });
  return {
    isStarted: status === 'active' || status === 'idle',
    isUnknown: status === null,
    steer,
    run,
    error: steer.error ?? run.error,
  };
}

interface ScheduleButtonsProps {
  readonly actions: ReturnType<typeof useScheduleActions>;
  /** Names the schedule for screen readers where several are listed. */
  readonly name?: string;
}

/** Two buttons: one runs the schedule once, the other pauses or starts it. */
export function ScheduleButtons({ actions: { isStarted, isUnknown, steer, run }, name }: ScheduleButtonsProps) {
  const action = isStarted ? 'Pause' : 'Start';
  const labelOf = (text: string) => (name === undefined ? {} : { 'aria-label': `${text}: ${name}` });
  return (
    <>
      <Button
        icon={<Zap size={15} aria-hidden="true" />}
        disabled={run.isPending}
        title="Runs it once, at once"
        {...labelOf('Run now')}
        onClick={() => run.mutate()}
      >
        Run now
      </Button>
      <Button
        icon={isStarted ? <Pause size={15} aria-hidden="true" /> : <Power size={15} aria-hidden="true" />}
        disabled={steer.isPending || isUnknown}
        {...labelOf(action)}
        onClick={() => steer.mutate(isStarted ? 'pause' : 'start')}
      >
        {action}
      </Button>
    </>
  );
}
