import { z } from 'zod';
import { exampleOf, named, nameOf } from './named.ts';

/** An integer in a query, where all values are text. */
export function wholeNumber(least: number, most: number) {
  return (
    z
      .string()
      .regex(/^\d{1,10}$/, `must be a whole number from ${least} to ${most}`)
      // The document shows it as an integer, although a query transmits it as text.
      .meta({ type: 'integer', minimum: least, maximum: most, pattern: undefined })
      .transform(Number)
      .pipe(z.int().min(least).max(most))
  );
}

/** The end of 32 bits: no list is that long, so a larger offset returns the same. */
const largestOffset = 2 ** 31;

/** An integer from 0, with any number of digits. */
const anyWholeNumber = z
  .string()
  .regex(/^\d+$/, 'must be a whole number from 0')
  .meta({ type: 'integer', minimum: 0, pattern: undefined })
  .transform((text) => Math.min(Number(text), largestOffset));

/** The part of a list to return. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 1000).default(50).describe('The maximum number of items to return; by default 50.'),
  offset: anyWholeNumber.default(0).describe('The number of items to skip; by default 0.'),
});

/** Maximum objects that one request may delete: as many as the longest page of a list. */
export const maxBatch = 1000;

/** A named page of a list of named objects. Its example has one item, the example of the object. */
export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  const example = exampleOf(item);
  const page = z.object({
    items: z.array(item),
    total: z.int().describe('The number of all items that the caller may see.'),
  });
  return named(name, page, {
    description: `A page of \`${nameOf(item)}\` objects.`,
    ...(example !== undefined && { example: { items: [example], total: 1 } as unknown as z.output<typeof page> }),
  });
}
