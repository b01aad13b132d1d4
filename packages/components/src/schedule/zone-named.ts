import { IANAZone } from 'luxon';

/** The usual spelling of each zone, by its name in lower case. */
const spellings = new Map(Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]));

/**
 * The time zone with a name, in upper or lower case; null if there is none. The library keeps what it knows of every
 * spelling, so that each zone must have only one.
 */
export function zoneNamed(name: string): IANAZone | null {
  const usual = spellings.get(name.toLowerCase());
  if (usual !== undefined) return IANAZone.create(usual);
  return IANAZone.isValidZone(name) ? IANAZone.create(usualName(name)) : null;
}

/** Older names, such as `US/Pacific`, stand for others. */
function usualName(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
}
