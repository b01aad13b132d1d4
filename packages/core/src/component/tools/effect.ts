/** How a step may be repeated after a crash: freely, freely, with its Idempotency-Key, or never silently. */
export type Effect = 'pure' | 'idempotent' | 'keyed' | 'once';

/** Whether a call with this effect changes something outside. */
export function changesOutside(effect: Effect): boolean {
  return effect === 'keyed' || effect === 'once';
}
