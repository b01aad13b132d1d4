import { exactNumber } from '@millrace/core/editing';
/** A field of a form for a payload. */
export interface SchemaField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  readonly description: string;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
}

const kinds: Readonly<Record<string, SchemaField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

/** The fields of a schema whose properties are all scalars; null for other schemas, which need JSON. */
export function schemaFields(schema: unknown): readonly SchemaField[] | null {
  const { properties, required = [] } = (schema ?? {}) as {
    properties?: Readonly<Record<string, { type?: string; description?: string; enum?: unknown[] }>>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties ?? {});
  const fields = entries.map(([name, property]): SchemaField | null => {
    const choices = property.enum?.filter((choice) => typeof choice === 'string') ?? [];
    const kind = choices.length > 0 ? 'choice' : kinds[property.type ?? ''];
    if (kind === undefined) return null;
    return { name, kind, description: property.description ?? '', isRequired: required.includes(name), choices };
  });
  const known = fields.filter((field) => field !== null);
  return known.length === 0 || known.length < fields.length ? null : known;
}

/** The payload after one field was changed. An empty text removes it. */
export function withField(payload: unknown, field: SchemaField, text: string): Readonly<Record<string, unknown>> {
  const before = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : {};
  const { [field.name]: _, ...others } = before as Readonly<Record<string, unknown>>;
  if (text === '') return others;
  if (field.kind === 'boolean') return { ...others, [field.name]: text === 'true' };
  const number = exactNumber(text.trim());
  // What is no number, or none that a number holds exactly, is sent as it is, so that the service says what is wrong.
  return { ...others, [field.name]: field.kind === 'number' && Number.isFinite(number) ? number : text };
}
