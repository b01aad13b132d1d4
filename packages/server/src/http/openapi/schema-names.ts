type Schemas = Readonly<Record<string, unknown>>;

const suffix = 'Input';

/**
 * The converter creates two forms of each named schema: `Name` for responses and `NameInput` for requests. If only one
 * is used, or both are equal, a single `Name` is enough. Returns the rest of the document and its schemas.
 */
export function withPlainNames<Rest>(rest: Rest, schemas: Schemas): { rest: Rest; schemas: Schemas } {
  const used = usedSchemas(rest, schemas);
  const plain = new Set(Object.keys(used).filter((name) => name.endsWith(suffix)));
  // Equal forms may refer to unequal ones: these are removed, and the forms that refer to them are compared again.
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const name of plain) {
      const answerForm = used[plainName(name)];
      if (answerForm === undefined || isEqual(renamed(used[name], plain), renamed(answerForm, plain))) continue;
      plain.delete(name);
      isSettled = false;
    }
  }
  const entries = Object.entries(used).map(([name, schema]) => {
    return [plain.has(name) ? plainName(name) : name, renamed(schema, plain)] as const;
  });
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return { rest: renamed(rest, plain), schemas: Object.fromEntries(sorted) };
}

function plainName(name: string): string {
  return name.slice(0, -suffix.length);
}

/** The schemas that are referred to. */
function usedSchemas(rest: unknown, schemas: Schemas): Schemas {
  const used = new Set(namesIn(rest));
  for (const name of used) for (const inner of namesIn(schemas[name] ?? {})) used.add(inner);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

function namesIn(value: unknown): readonly string[] {
  const found = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...found].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function renamed<Value>(value: Value, plain: ReadonlySet<string>): Value {
  const text = JSON.stringify(value).replaceAll(/"#\/components\/schemas\/([^"]+)"/g, (reference, name: string) =>
    plain.has(name) ? `"#/components/schemas/${plainName(name)}"` : reference,
  );
  return JSON.parse(text) as Value;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
