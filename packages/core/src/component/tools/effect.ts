/** How a step may be repeated after a crash: freely, freely, with its Idempotency-Key, or never silently. */
export type Effect = 'pure' | 'idempotent' | 'keyed' | 'once';
