/** A JSON Schema, as the catalogue has it for the config of a component. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** How a value is edited. Anything that has no form of its own is edited as JSON. */
export type FieldKind =
  | { readonly kind: 'text'; readonly isLong: boolean }
  | {
      readonly kind: 'number';
      readonly minimum: number | null;
      readonly maximum: number | null;
      readonly isWhole: boolean;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'json' };

/** One key of a config. */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly field: FieldKind;
  /** Whether the value may be text with an expression instead. */
  readonly takesExpression: boolean;
  readonly defaultValue: unknown;
  readonly example: unknown;
}

/** Policies that every executable component has. They are settings of the step, not of what it does. */
const policies: ReadonlySet<string> = new Set([
  'retry',
  'timeout_seconds',
  'on_error',
  'on_unknown',
  'pinned_output',
  'join',
]);

/** The keys of a component's config: its own, and the policies of the step. */
export interface Fields {
  readonly own: readonly Field[];
  readonly policies: readonly Field[];
}

/** The fields of a config schema, in its order. */
export function fieldsOf(schema: Schema): Fields {
  const required = new Set(schema.required ?? []);
  const all = Object.entries(schema.properties ?? {}).map(([key, property]) =>
    fieldOf(key, property, required.has(key)),
  );
  return { own: all.filter(({ key }) => !policies.has(key)), policies: all.filter(({ key }) => policies.has(key)) };
}

function fieldOf(key: string, schema: Schema, isRequired: boolean): Field {
  const { plain, takesExpression } = withoutExpression(schema);
  const { description = '', default: defaultValue, examples = [] } = schema;
  const field = kindOf(key, plain);
  return {
    key,
    label: labelOf(key),
    description,
    isRequired,
    field,
    takesExpression: takesExpression || field.kind === 'text',
    defaultValue,
    example: examples[0],
  };
}

/** `Accept errors` for `accept_errors`. */
function labelOf(key: string): string {
  const text = key.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The catalogue writes "a number, or text with an expression" as two alternatives. */
function withoutExpression(schema: Schema): { readonly plain: Schema; readonly takesExpression: boolean } {
  const others = (schema.anyOf ?? []).filter((option) => !isExpression(option));
  const [only] = others;
  if (schema.anyOf === undefined || others.length === schema.anyOf.length)
    return { plain: schema, takesExpression: false };
  return { plain: others.length === 1 && only !== undefined ? only : { anyOf: others }, takesExpression: true };
}

function isExpression({ type, pattern }: Schema): boolean {
  return type === 'string' && pattern === '\\{\\{';
}

/** Keys whose text usually has several lines. */
const longTexts: ReadonlySet<string> = new Set(['template', 'code', 'prompt', 'input', 'expression', 'text', 'notes']);

function kindOf(key: string, { type, enum: options, minimum, maximum }: Schema): FieldKind {
  if (options?.every((option) => typeof option === 'string') === true)
    return { kind: 'choice', options: options as string[] };
  if (type === 'string') return { kind: 'text', isLong: longTexts.has(key) };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'number' || type === 'integer')
    return { kind: 'number', minimum: minimum ?? null, maximum: maximum ?? null, isWhole: type === 'integer' };
  return { kind: 'json' };
}
