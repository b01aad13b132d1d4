import type { Instant } from '@millrace/core';
import { Settings } from 'luxon';

/**
 * What a function reads, while parts that its text does not give are those of a time: the day of `10:30` is the day of
 * the step, and not that of the process. The function must not wait for anything.
 */
export function withNow<T>(now: Instant, read: () => T): T {
  const clock = Settings.now;
  Settings.now = () => now;
  try {
    return read();
  } finally {
    Settings.now = clock;
  }
}
