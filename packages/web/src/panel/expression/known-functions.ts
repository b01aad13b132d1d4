import { filters } from '@millrace/core/filters';
import type { KnownFunction } from './completions.ts';

/** The functions of the expression language, which follow a value and `|`. */
export const knownFunctions: readonly KnownFunction[] = filters.map(({ name, parameters, description }) => {
  return { name, signature: parameters.length === 0 ? '' : `(${parameters.map(written).join(', ')})`, description };
});

type Parameter = (typeof filters)[number]['parameters'][number];

function written({ name, optional, default: value }: Parameter): string {
  return optional === true || value !== undefined ? `${name}?` : name;
}
