import type { DurationUnit } from '../fields/field.ts';

/** Milliseconds in each unit that a person may write. */
const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const byName = new Map([
  ...units,
  ...units.slice(0, 4).flatMap(([name, ms]) => {
    const long = { d: 'day', h: 'hour', m: 'minute', s: 'second' }[name] ?? name;
    return [long, `${long}s`].map((word): readonly [string, number] => [word, ms]);
  }),
  ['min', 60_000] as const,
  ['sec', 1000] as const,
]);

function msPer(unit: DurationUnit): number {
  return unit === 'seconds' ? 1000 : 1;
}

/** The duration that a text such as `1h 30m` means, in the unit; a bare number is in the unit. Null if it means none. */
export function parseDuration(text: string, unit: DurationUnit): number | null {
  const trimmed = text.trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== trimmed) return null;
  let total = 0;
  for (const [, amount, name = ''] of parts) {
    const ms = byName.get(name);
    if (ms === undefined) return null;
    total += Number(amount) * ms;
  }
  // Rounded to the precision of milliseconds, because decimal fractions are not exact.
  return Math.round(total) / msPer(unit);
}

/** A duration as `parseDuration` reads it: `1h 30m`. */
export function durationText(value: number, unit: DurationUnit): string {
  let rest = Math.round(value * msPer(unit));
  if (rest <= 0) return `0${unit === 'seconds' ? 's' : 'ms'}`;
  const parts: string[] = [];
  for (const [name, ms] of units) {
    const count = Math.floor(rest / ms);
    if (count > 0) parts.push(`${count}${name}`);
    rest -= count * ms;
  }
  return parts.join(' ');
}
