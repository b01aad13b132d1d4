import type { Schemas } from '@millrace/client';
import { RelativeTime } from '../ui/relative-time.tsx';
import { instantOf } from '../ui/time.ts';

/** The state of a schedule in words. */
export const scheduleStates: Readonly<Record<Schemas['ScheduleJob']['status'], string>> = {
  active: 'Active',
  paused: 'Paused',
  stopped: 'Stopped',
  idle: 'Started, but the workflow or the trigger is inactive, or no time is left',
};

/** When a schedule fires, as its settings say it. */
export function timingText(timing: Readonly<Record<string, unknown>>): string {
  const { cron, interval_seconds: interval, timezone } = timing;
  const zone = typeof timezone === 'string' && timezone !== '' ? ` in ${timezone}` : '';
  if (typeof cron === 'string' && cron !== '') return `${cron}${zone}`;
  return typeof interval === 'number' ? `every ${interval} s` : 'not set';
}

/** A time in the zone of the person and in UTC, in which the service calculates. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(instantOf(at));
  return (
    <>
      <RelativeTime at={at} />{' '}
      <span className="text-muted">
        {date.toLocaleString()} here, {date.toISOString().slice(0, 16).replace('T', ' ')} UTC
      </span>
    </>
  );
}
