/** The instant of an API timestamp, which is in UTC and has no zone. */
export function instantOf(timestamp: string): number {
  return Date.parse(/Z|[+-]\d\d:\d\d$/.test(timestamp) ? timestamp : `${timestamp}Z`);
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `3 min. ago` for an instant in the past, `in 2 hr.` for one in the future. */
export function relativeText(instant: number, now: number): string {
  const seconds = Math.round((instant - now) / 1000);
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
  const [name, size] = unit;
  return relative.format(Math.trunc(seconds / size), name);
}

/** `850 ms`, `1.2 s`, `3 min 4 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}
