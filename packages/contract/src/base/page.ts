import { z } from 'zod';

/** A whole number in a query, where everything is text. */
export function wholeNumber(least: number, most: number) {
  return (
    z
      .string()
      .regex(/^\d{1,10}$/, `must be a whole number from ${least} to ${most}`)
      // To callers it is a number: that it travels as text is how queries are.
      .meta({ type: 'integer', minimum: least, maximum: most, pattern: undefined })
      .transform(Number)
      .pipe(z.int().min(least).max(most))
  );
}

/** Which part of a list to show. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 1000).default(50).describe('The most items to show; 50 when left out.'),
  // Where 32 bits end: no list is that long.
  offset: wholeNumber(0, 2 ** 31)
    .default(0)
    .describe('How many items to skip; 0 when left out.'),
});

/** Objects that one request may name to be deleted: all of the longest page of a list. */
export const maxBatch = 1000;

/** A part of a list, and how long all of it is. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), total: z.int().describe('How many there are in all, for this caller.') });
}
