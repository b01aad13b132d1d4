import { date } from './date-filter.ts';
import type { Filter } from './filter.ts';
import { jsonFilters } from './json-filters.ts';
import { listFilters } from './list-filters.ts';
import { numberFilters } from './number-filters.ts';
import { objectFilters } from './object-filters.ts';
import { selectFilters } from './select-filters.ts';
import { textFilters } from './text-filters.ts';

/** All filters. The language has no other functions, and none can be added at run time. */
export const filters: readonly Filter[] = [
  ...textFilters,
  ...numberFilters,
  date,
  ...listFilters,
  ...selectFilters,
  ...objectFilters,
  ...jsonFilters,
];

const byName = new Map(
  filters.flatMap((filter) => [filter.name, ...(filter.aliases ?? [])].map((name) => [name, filter])),
);

/** The filter with this name or alias. */
export function findFilter(name: string): Filter | undefined {
  return byName.get(name);
}

/** All names of filters, including aliases. */
export const filterNames: readonly string[] = [...byName.keys()];
