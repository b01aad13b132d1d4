import type { Numeric } from './resolved.ts';

/**
 * The sum of numbers. A sum of integers is exact, whatever their order: it is a bigint if a double cannot hold it. Numbers
 * with a fraction, and those outside ±(2^53 − 1), are added as doubles.
 */
export function exactSum(numbers: readonly number[]): Numeric {
  let total = 0;
  let isExact = true;
  for (const number of numbers) {
    total += number;
    isExact &&= Number.isSafeInteger(total);
  }
  if (isExact || !numbers.every(Number.isSafeInteger)) return total;
  return held(numbers.reduce((sum, number) => sum + BigInt(number), 0n));
}

/** The integer as a number, if a double holds it exactly. */
export function held(integer: bigint): Numeric {
  const number = Number(integer);
  return Number.isFinite(number) && BigInt(number) === integer ? number : integer;
}
