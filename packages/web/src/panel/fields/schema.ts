/** How an editor shows a key, besides what its schema says. The catalogue sends it with the schema. */
export interface UiHint {
  readonly widget?: string;
  readonly unit?: string;
  readonly advanced?: boolean;
  readonly when?: Readonly<Record<string, readonly unknown[]>>;
}

/** A JSON Schema, as the catalogue sends it for the config of a component. */
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
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly ui?: UiHint;
}

/** The catalogue writes "a number, or text with an expression" as two alternatives. */
function isExpression({ type, pattern }: Schema): boolean {
  return type === 'string' && pattern === '\\{\\{';
}

/** A schema without the alternatives that have no form: text with an expression, and null. */
export function plainSchema(schema: Schema): { readonly plain: Schema; readonly takesExpression: boolean } {
  const { anyOf, ...common } = schema;
  if (anyOf === undefined) return { plain: schema, takesExpression: false };
  const others = anyOf.filter((option) => !isExpression(option) && option.type !== 'null');
  const takesExpression = anyOf.some(isExpression);
  const [only] = others;
  if (others.length === 1 && only !== undefined) return { plain: { ...only, ...common }, takesExpression };
  return { plain: { ...common, anyOf: others }, takesExpression };
}
