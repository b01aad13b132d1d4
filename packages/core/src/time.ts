/** A moment: milliseconds since the Unix epoch, UTC. Fractions carry microseconds. */
export type Instant = number;

/** The text of the last whole millisecond: under load the same one is written for many rows. */
let last = { at: Number.NaN, text: '' };

/** The API's form of a moment: `YYYY-MM-DDTHH:MM:SS.ffffff`, UTC, no zone designator. */
export function formatInstant(at: Instant): string {
  const whole = Math.floor(at);
  if (whole !== last.at) last = { at: whole, text: new Date(whole).toISOString().slice(0, 23) };
  const micros = microsOf(at, whole);
  return micros === 0 ? `${last.text}000` : last.text + String(micros).padStart(3, '0');
}

// An Instant near 1.8e12 keeps about 0.2 µs of precision in a double, so rounding to 1 µs is exact.
function microsOf(at: Instant, whole: number): number {
  return Math.min(999, Math.round((at - whole) * 1000));
}

/** The moment as `parseInstant(formatInstant(at))` would give it. */
export function roundInstant(at: Instant): Instant {
  const whole = Math.floor(at);
  return whole + microsOf(at, whole) / 1000;
}

/** Reads what `formatInstant` wrote. */
export function parseInstant(text: string): Instant {
  return Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1000;
}

/** The moment for a change: now, or just after the previous change when the clock has not moved on. */
export function instantAfter(previous: Instant, now: Instant): Instant {
  return now > previous ? now : previous + 0.001;
}
