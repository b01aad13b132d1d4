import type { Field, FieldKind } from './field.ts';

/** Whether a field shows a part while it has a value. @param rest the path of the part inside: `[0].width` */
export function hasPart(field: FieldKind, value: unknown, rest: string): boolean {
  switch (field.kind) {
    case 'choice-or-count':
      return true;
    case 'object':
      return typeof value !== 'string' && hasFieldAt(field.fields, value, rest);
    case 'variants': {
      const { [field.key]: chosen } = (value ?? {}) as Readonly<Record<string, unknown>>;
      return hasFieldAt(field.variants.find((variant) => variant.value === chosen)?.fields ?? [], value, rest);
    }
    case 'objects':
    case 'rules': {
      const [, place = '', inner = ''] = /^\[(\d+)\](.*)$/s.exec(rest) ?? [];
      const item = Array.isArray(value) ? (value[Number(place)] as unknown) : undefined;
      return item !== undefined && (field.kind === 'rules' || hasFieldAt(field.fields, item, inner));
    }
    default:
      return false;
  }
}

function hasFieldAt(fields: readonly Field[], value: unknown, path: string): boolean {
  const [, key = '', rest = ''] = /^\.?([^.[]*)(.*)$/s.exec(path) ?? [];
  const found = fields.find((field) => field.key === key);
  if (found === undefined || rest === '') return found !== undefined;
  return hasPart(found.field, (value as Readonly<Record<string, unknown>> | undefined)?.[key], rest);
}
