/** One page of a list, and the number of items in the whole list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
