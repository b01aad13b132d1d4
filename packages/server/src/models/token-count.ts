import { z } from 'zod';

/** A token count from a provider. An invalid count adds nothing: a wrong bill is better than a lost answer. */
export const tokenCount = z.int().min(0).catch(0);
