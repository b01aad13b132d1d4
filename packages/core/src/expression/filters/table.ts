import { date } from './date-filter.ts';
import type { Filter } from './filter.ts';
import { jsonFilters } from './json-filters.ts';
import { listFilters } from './list-filters.ts';
import { numberFilters } from './number-filters.ts';
import { objectFilters } from './object-filters.ts';
import { selectFilters } from './select-filters.ts';
import { textFilters } from './text-filters.ts';

/** All filters. This list is what the language can do: there is no other function, and no way to add one. */
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

/** The filter of this name or alias. */
export function findFilter(name: string): Filter | undefined {
  return byName.get(name);
}

/** All names of filters, aliases included. */
export const filterNames: readonly string[] = [...byName.keys()];
