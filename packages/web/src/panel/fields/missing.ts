import type { Field } from './field.ts';

/** What a value inside lists and objects lacks, so that the service would reject it; null if nothing. */
export function missingIn({ field, label }: Pick<Field, 'field' | 'label'>, value: unknown): string | null {
  switch (field.kind) {
    case 'object':
      return missingKey(field.fields, value);
    case 'objects':
      return firstOf(asList(value), (item, index) => {
        const lack = missingKey(field.fields, item);
        return lack === null ? null : `${label} ${index + 1}: ${lack}`;
      });
    case 'variants': {
      const { [field.key]: chosen } = (value ?? {}) as Readonly<Record<string, unknown>>;
      return missingKey(field.variants.find((variant) => variant.value === chosen)?.fields ?? [], value);
    }
    case 'rules':
      return firstOf(asList(value), (rule, index) => {
        const lack = ruleLack(rule as Readonly<Record<string, unknown>>, field.isRouting);
        return lack === null ? null : `Rule ${index + 1} needs ${lack}.`;
      });
    default:
      return null;
  }
}

function missingKey(fields: readonly Field[], value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const values = value as Readonly<Record<string, unknown>>;
  return firstOf(fields, (field) => {
    const inner = values[field.key];
    if (inner === undefined) return field.isRequired ? `${field.label} is missing.` : null;
    return missingIn(field, inner);
  });
}

const withoutValue: ReadonlySet<unknown> = new Set([
  'exists',
  'does_not_exist',
  'is_empty',
  'is_not_empty',
  'is_true',
  'is_false',
]);

/** Whether an operator of a rule compares with a value. */
export function takesValue(operator: unknown): boolean {
  return !withoutValue.has(operator);
}

/** What a rule lacks, in words; null if it is complete. */
export function ruleLack(rule: Readonly<Record<string, unknown>>, isRouting: boolean): string | null {
  if (isRouting && !rule.id) return 'a route';
  if (!rule.field) return 'a field';
  if (!rule.operator) return 'an operator';
  return takesValue(rule.operator) && rule.value === undefined ? 'a value' : null;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstOf<Item>(items: readonly Item[], find: (item: Item, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== null) return found;
  }
  return null;
}
