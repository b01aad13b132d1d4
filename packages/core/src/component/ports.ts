/** The types of data that flow between nodes. The last four only fill sub-inputs. */
export const dataTypes = [
  'text',
  'number',
  'boolean',
  'object',
  'array',
  'file',
  'any',
  'llm',
  'tool',
  'memory',
  'output_parser',
] as const;
export type DataType = (typeof dataTypes)[number];

const subComponentTypes: ReadonlySet<DataType> = new Set(['llm', 'tool', 'memory', 'output_parser']);

/** True for the types that connect a sub-component (a model, a tool…) to its parent. */
export function isSubComponentType(type: DataType): boolean {
  return subComponentTypes.has(type);
}

/** A place where a value leaves a node. The first output is the one that unlabelled edges carry. */
export interface OutputPort {
  readonly name: string;
  readonly dataType: DataType;
  /** One sentence for the user. */
  readonly description: string;
}

/** A place where a value enters a node, or a sub-component is connected. */
export interface InputPort extends OutputPort {
  readonly required: boolean;
}

/** Whether a value of type `source` may flow into a port of type `target` (`spec: Edges`). */
export function fits(source: DataType, target: DataType): boolean {
  if (source === target) return true;
  if (source === 'any' || target === 'any') return !isSubComponentType(source) && !isSubComponentType(target);
  return target === 'text' && (source === 'number' || source === 'boolean');
}
