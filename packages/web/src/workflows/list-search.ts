import type { SearchSchemaInput } from '@tanstack/react-router';

/** What a list can be limited to, besides tags and a text. */
export const stateFilters = ['failing', 'unpublished', 'inactive'] as const;
export type StateFilter = (typeof stateFilters)[number];

/** The columns by which the list can be ordered. */
export const sortKeys = ['name', 'run', 'changed'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which workflows the list shows. What does not limit the list is left out, so that addresses are short. */
export interface WorkflowsSearch {
  /** A text in the name, the slug or a tag. */
  readonly q?: string;
  /** A workflow has all of them. */
  readonly tags?: readonly string[];
  readonly state?: StateFilter;
  /** By default, the last changed first. */
  readonly sort?: SortKey;
  /** Whether the order is the opposite of the usual one of the column. */
  readonly reverse?: true;
  readonly page?: number;
}

/** The filters and the order of the list, as its address has them. */
export function workflowsSearch(input: { [Key in keyof WorkflowsSearch]?: unknown } & SearchSchemaInput) {
  const { q, tags, state, sort, reverse, page } = input;
  const texts = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
  const knownState = stateFilters.find((name) => name === state);
  const knownSort = sortKeys.find((name) => name === sort);
  const search: WorkflowsSearch = {
    // The address of a text of digits is read as a number.
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
    ...(texts.length > 0 && { tags: texts }),
    ...(knownState !== undefined && { state: knownState }),
    ...(knownSort !== undefined && { sort: knownSort }),
    ...(reverse === true && { reverse }),
    ...(typeof page === 'number' && page > 1 && { page: Math.trunc(page) }),
  };
  return search;
}

/** How many filters limit the list. */
export function filterCount({ q, tags = [], state }: WorkflowsSearch): number {
  return tags.length + (q === undefined ? 0 : 1) + (state === undefined ? 0 : 1);
}
