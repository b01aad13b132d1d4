/** A moment: milliseconds since the Unix epoch, UTC. Fractions carry microseconds. */
export type Instant = number;

/** The text of the last whole millisecond: under load the same one is written for many rows. */
let last = { at: Number.NaN, text: '' };

// Years of four digits: texts of others would not sort as their moments do, and soon there are no dates at all.
const earliest = Date.parse('0000-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The API's form of a moment: `YYYY-MM-DDTHH:MM:SS.ffffff`, UTC, no zone designator. A moment before the year 0 or after
 * 9999 is written as the first or the last of these years.
 */
export function formatInstant(moment: Instant): string {
  const at = Math.min(Math.max(moment, earliest), latest);
  const whole = Math.floor(at);
  if (whole !== last.at) last = { at: whole, text: new Date(whole).toISOString().slice(0, 23) };
  const micros = microsOf(at, whole);
  return micros === 0 ? `${last.text}000` : last.text + String(micros).padStart(3, '0');
}

// An Instant near 1.8e12 keeps about 0.2 µs of precision in a double, so rounding to 1 µs is exact.
function microsOf(at: Instant, whole: number): number {
  return Math.min(999, Math.round((at - whole) * 1000));
}

/** The moment as `parseInstant(formatInstant(at))` would give it, of the years 0 to 9999. */
export function roundInstant(at: Instant): Instant {
  const whole = Math.floor(at);
  return whole + microsOf(at, whole) / 1000;
}

/**
 * Reads what `formatInstant` wrote. Any other text is the earliest moment: what is damaged can still be shown and listed,
 * and nobody takes that moment for a true one.
 */
export function parseInstant(text: string): Instant {
  const at = Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1000;
  return Number.isNaN(at) ? earliest : at;
}

/** The moment for a change: now, or just after the previous change when the clock has not moved on. */
export function instantAfter(previous: Instant, now: Instant): Instant {
  return now > previous ? now : previous + 0.001;
}
