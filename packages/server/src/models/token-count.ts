import { z } from 'zod';

/** A count that a provider gives. What is no count adds nothing: a wrong bill is better than a lost answer. */
export const tokenCount = z.int().min(0).catch(0);
