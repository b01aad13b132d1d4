import { useEffect, useState } from 'react';
import { now } from './clock.ts';

/** The time of the last tick, in milliseconds since 1970: for what shows elapsed time while it is active. */
export function useNow(isActive: boolean, everyMs = 250): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!isActive) return undefined;
    setTime(now());
    const timer = setInterval(() => setTime(now()), everyMs);
    return () => clearInterval(timer);
  }, [isActive, everyMs]);
  return time;
}
