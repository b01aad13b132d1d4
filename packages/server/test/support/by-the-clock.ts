/**
 * Options of a test that holds a promise by the clock. Where another program has the processor for a moment, the test is
 * tried again; a fault of ours fails each time.
 */
export const byTheClock = { retry: 2 };
