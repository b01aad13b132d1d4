/** Some items of a list, and how many the whole list has. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
