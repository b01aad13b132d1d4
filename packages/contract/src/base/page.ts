import { z } from 'zod';
import { exampleOf, named, nameOf } from './named.ts';

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

/** Where 32 bits end: no list is that long, so a larger offset shows the same. */
const largestOffset = 2 ** 31;

/** A whole number from 0, of any length. */
const anyWholeNumber = z
  .string()
  .regex(/^\d+$/, 'must be a whole number from 0')
  .meta({ type: 'integer', minimum: 0, pattern: undefined })
  .transform((text) => Math.min(Number(text), largestOffset));

/** Which part of a list to show. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 1000).default(50).describe('The most items to show; 50 when left out.'),
  offset: anyWholeNumber.default(0).describe('How many items to skip; 0 when left out.'),
});

/** Objects that one request may name to be deleted: all of the longest page of a list. */
export const maxBatch = 1000;

/** A page of a list of named objects, under a name of its own. Its example has the object's example as its one item. */
export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  const example = exampleOf(item);
  const page = z.object({
    items: z.array(item),
    total: z.int().describe('How many items the caller may see in all.'),
  });
  return named(name, page, {
    description: `A page of \`${nameOf(item)}\` objects.`,
    ...(example !== undefined && { example: { items: [example], total: 1 } as unknown as z.output<typeof page> }),
  });
}
