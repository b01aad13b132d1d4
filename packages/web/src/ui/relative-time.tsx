import { useEffect, useState } from 'react';
import { now as clockNow } from './clock.ts';
import { instantOf, relativeText } from './time.ts';

/** The text changes at most once a minute for all but the newest times. */
const everyMs = 20_000;

/** A time relative to now, with the whole time as a tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const [now, setNow] = useState(clockNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(clockNow()), everyMs);
    return () => clearInterval(timer);
  }, []);
  const instant = instantOf(at);
  const whole = new Date(instant);
  return (
    <time
      dateTime={whole.toISOString()}
      title={`${whole.toLocaleString()} (${whole.toISOString()})`}
      className="tabular-nums"
    >
      {relativeText(instant, now)}
    </time>
  );
}
