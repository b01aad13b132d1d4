/** A point in time: milliseconds since the Unix epoch, UTC. Fractions carry microseconds. */
export type Instant = number;

/** The text of the last whole millisecond: under load it is written for many rows. */
let last = { at: Number.NaN, text: '' };

// Four-digit years: texts with other years would not sort in the order of time, and dates do not go far beyond.
const earliest = Date.parse('0000-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The API's form of a point in time: `YYYY-MM-DDTHH:MM:SS.ffffff`, UTC, no zone designator. A time before the year 0 or
 * after 9999 is written as the first or the last time of these years.
 */
export function formatInstant(moment: Instant): string {
  const at = Math.min(Math.max(moment, earliest), latest);
  const whole = Math.floor(at);
  if (whole !== last.at) last = { at: whole, text: new Date(whole).toISOString().slice(0, 23) };
  const micros = microsOf(at, whole);
  return micros === 0 ? `${last.text}000` : last.text + String(micros).padStart(3, '0');
}

// An Instant near 1.8e12 has about 0.2 µs of precision in a double, so rounding to 1 µs is exact.
function microsOf(at: Instant, whole: number): number {
  return Math.min(999, Math.round((at - whole) * 1000));
}

/** The same time as `parseInstant(formatInstant(at))`, for the years 0 to 9999. */
export function roundInstant(at: Instant): Instant {
  const whole = Math.floor(at);
  return whole + microsOf(at, whole) / 1000;
}

/**
 * Parses the output of `formatInstant`. Any other text is the earliest time: damaged data can still be shown and
 * listed, and this time is clearly not a real one.
 */
export function parseInstant(text: string): Instant {
  const at = Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1000;
  return Number.isNaN(at) ? earliest : at;
}

/** The time for a change: now, or just after the previous change if the clock has not advanced. */
export function instantAfter(previous: Instant, now: Instant): Instant {
  return now > previous ? now : previous + 0.001;
}
