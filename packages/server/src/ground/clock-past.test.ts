import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClockPast } from './clock-past.ts';
import { VirtualTime } from './virtual-time.ts';

const hour = 3_600_000;

test('what was stored within a duration is never older, and without changes of the clock everything before is', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(2 * hour) }),
    fc.record({
      kind: fc.constant('set' as const),
      ms: fc.integer({ min: -48 * 3600, max: 48 * 3600 }).map((seconds) => seconds * 1000),
    }),
    fc.record({ kind: fc.constantFrom('store' as const, 'look' as const), ms: fc.nat(3 * hour) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const time = new VirtualTime();
      const past = new ClockPast(time.clock);
      const stored: { readonly at: number; readonly shown: number }[] = [];
      let setAt = Number.NEGATIVE_INFINITY;
      for (const { kind, ms } of [...steps, { kind: 'look', ms: hour }]) {
        const now = time.clock.monotonic();
        if (kind === 'pass') time.advance(ms);
        else if (kind === 'set') {
          time.setClock(ms);
          setAt = now;
        } else if (kind === 'store') {
          // A change that is reverted before the next look is not detected.
          past.ago(0);
          stored.push({ at: now, shown: time.clock.now() });
        }
        if (kind === 'look') {
          const ago = past.ago(ms);
          for (const { shown } of stored.filter(({ at }) => at >= now - ms)) expect(shown).toBeGreaterThanOrEqual(ago);
          if (setAt === Number.NEGATIVE_INFINITY) expect(ago).toBe(time.clock.now() - ms);
        }
      }
    }),
    { numRuns: Number(process.env.CLOCK_RUNS ?? 300) },
  );
});

test('when the duration has passed since the clock was set, ages are exact again', () => {
  const time = new VirtualTime();
  const past = new ClockPast(time.clock);
  for (const byMs of [-2 * hour, 24 * hour]) {
    time.setClock(byMs);
    past.ago(hour);
    time.advance(hour + 1);
    expect(past.ago(hour)).toBe(time.clock.now() - hour);
  }
});
