/** A JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

/** The anchor of a heading in its page. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

/** The limits of safe integers, which do not describe a field. */
const farOut = 2 ** 53 - 1;

/** The values that a schema accepts, in a few words. */
export function typeText(schema: Schema): string {
  const { $ref, anyOf, oneOf, type } = schema as { $ref?: string; anyOf?: Schema[]; oneOf?: Schema[]; type?: unknown };
  if (Array.isArray(type)) return type.map((one: unknown) => typeText({ ...schema, type: one })).join(' or ');
  if ($ref !== undefined) return nameText($ref.replace('#/components/schemas/', ''));
  if (Array.isArray(schema.enum))
    return (schema.enum as unknown[]).map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  switch (type) {
    case 'array':
      return `array${boundsText('Items', schema)} of ${typeText((schema.items ?? {}) as Schema)}`;
    case 'object':
      return objectText(schema);
    case 'string':
      return `string${typeof schema.format === 'string' ? ` (${schema.format})` : ''}${boundsText('Length', schema)}`;
    case 'integer':
    case 'number':
      return `${type}${rangeText(schema)}`;
    default:
      return typeof type === 'string' ? type : 'any JSON';
  }
}

function nameText(name: string): string {
  // Within one schema, only JSON itself is recursive.
  return name === 'Json' || name.startsWith('#/$defs/') ? 'any JSON' : `[${name}](#${anchorOf(name)})`;
}

function objectText({ properties, additionalProperties }: Schema): string {
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Schema>).map(
      ([name, field]) => `\`${name}\`: ${typeText(field)}`,
    );
    return `{ ${fields.join(', ')} }`;
  }
  const isNamed = typeof additionalProperties === 'object' && additionalProperties !== null;
  const values = isNamed ? typeText(additionalProperties as Schema) : 'any JSON';
  return values === 'any JSON' ? 'object' : `object of ${values}`;
}

function boundsText(of: 'Length' | 'Items', schema: Schema): string {
  const [least, most] = [Number(schema[`min${of}`] ?? 0), schema[`max${of}`]];
  if (most === undefined) return least > 0 ? ` (${least} or more)` : '';
  return ` (${least > 0 ? `${least} to ${most}` : `at most ${most}`})`;
}

function rangeText({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
  const least = typeof above === 'number' && above > -farOut ? above : null;
  const most = typeof maximum === 'number' && maximum < farOut ? maximum : null;
  if (least !== null && most !== null) return ` (${least} to ${most})`;
  if (least !== null) return ` (${least} or more)`;
  return most === null ? '' : ` (${most} or less)`;
}

/** The description of a field. */
export interface Field {
  /** With the names of the objects that contain it, e.g. `retry.on`. */
  readonly name: string;
  readonly type: string;
  /** The default, or that the field is required; empty if the description states the default. */
  readonly absent: string;
  readonly examples: readonly unknown[];
  readonly meaning: string;
}

/** The fields of an object, each followed by the fields of its inner object. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const required = new Set((schema.required ?? []) as string[]);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, field]) => {
    const inner = isObjectWithFields(field) ? fieldsOf(field, `${prefix}${name}.`) : [];
    const absent =
      'default' in field ? `\`${JSON.stringify(field.default)}\`` : required.has(name) ? '**required**' : '';
    return [
      {
        name: `\`${prefix}${name}\``,
        type: inner.length > 0 ? 'object' : typeText(field),
        absent,
        examples: (field.examples ?? []) as unknown[],
        meaning: String(field.description ?? '').replaceAll('\n', ' '),
      },
      ...inner,
    ];
  });
}

function isObjectWithFields(schema: Schema): boolean {
  return schema.type === 'object' && schema.properties !== undefined;
}
