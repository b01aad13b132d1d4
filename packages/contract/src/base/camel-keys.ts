type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** A body with the names that the service uses: `source_node_id` becomes `sourceNodeId`. */
export type CamelKeys<Body> = { [Name in keyof Body as Camel<Name & string>]: Exclude<Body[Name], undefined> };

/** Renames the top-level keys of a body that was checked against its schema; absent keys stay absent. */
export function camelKeys<Body extends object>(body: Body): CamelKeys<Body> {
  const renamed: Record<string, unknown> = {};
  for (const name of Object.keys(body)) renamed[camel(name)] = body[name as keyof Body];
  return renamed as CamelKeys<Body>;
}

/** Bounded: the names come from schemas. */
const camelNames = new Map<string, string>();

function camel(name: string): string {
  const known = camelNames.get(name) ?? name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  camelNames.set(name, known);
  return known;
}
