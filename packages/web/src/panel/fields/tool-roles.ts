import type { NodeTools, NodeType } from '../../api/node-types.ts';

/** What a field is for the model that calls a node as a tool: it fills an `open` one in each call; it cannot change a `fixed` one. */
export type FieldRole = 'open' | 'fixed';

/** One argument of a tool. */
export interface ToolParameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** Whether nodes of a type offer several tools, which another server lists. */
export function offersSeveral(type: NodeType | undefined): boolean {
  const { properties } = fieldsOf(type?.config_schema);
  const settings = fieldsOf(fieldsOf(fieldsOf(properties).tool).properties);
  return Object.keys(settings).length > 0 && settings.parameters === undefined;
}

/** The roles of the keys in the `extra_config` of a node that is a tool. Those of all others are not known. */
export function toolRoles(
  offered: NodeTools | undefined,
  extra: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, FieldRole> {
  const [tool, ...others] = offered?.tools ?? [];
  const isOwn = tool !== undefined && tool.target === null && others.length === 0;
  // With parameters of its own, the tool has only those; the config reads them as expressions.
  const hasParameters = fieldsOf(extra.tool).parameters !== undefined;
  const open = isOwn && !hasParameters ? Object.keys(fieldsOf(tool.parameters.properties)) : [];
  const roles = new Map<string, FieldRole>(open.map((key) => [key, 'open']));
  for (const [key, value] of Object.entries(extra)) {
    if (key !== 'tool' && value !== null && value !== undefined) roles.set(key, 'fixed');
  }
  return roles;
}

/** The arguments that a JSON Schema describes. */
export function parametersOf(schema: unknown): readonly ToolParameter[] {
  const { properties, required } = fieldsOf(schema);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(fieldsOf(properties)).map(([name, property]) => {
    const { description } = fieldsOf(property);
    return {
      name,
      type: typeOf(property),
      description: typeof description === 'string' ? description : '',
      isRequired: needed.includes(name),
    };
  });
}

function typeOf(property: unknown): string {
  const { type, enum: choices, anyOf } = fieldsOf(property);
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.join(' | ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(' | ');
  return 'any';
}

/** The fields of a value that may be anything. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
