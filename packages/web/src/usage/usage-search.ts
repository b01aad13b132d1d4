import type { SearchSchemaInput } from '@tanstack/react-router';

/** What a bar of the chart can show. */
export const measures = ['cost', 'tokens', 'calls'] as const;
export type Measure = (typeof measures)[number];

/** Days of the periods that can be chosen. */
export const periods = [7, 30, 90, 365] as const;

/** The choices in the address of the page of usage. */
export function usageSearch({ days, measure }: { days?: unknown; measure?: unknown } & SearchSchemaInput) {
  return {
    days: periods.find((each) => each === Number(days)) ?? 30,
    measure: measures.find((each) => each === measure) ?? 'cost',
  };
}
