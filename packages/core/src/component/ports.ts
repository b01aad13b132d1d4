import type { Json } from '../json.ts';

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
  /** Keys of the component's own config, each of which supplies the input: edges then only order execution. */
  readonly suppliedBy?: readonly string[];
  /** Only text makes sense here, such as an address: lists and objects are not accepted as their JSON. */
  readonly isTextOnly?: true;
}

/** What decides which values an input accepts. */
type Accepting = Pick<InputPort, 'dataType' | 'isTextOnly'>;

/** Whether a value of type `source` may flow into an input, as it is or converted (`spec: Edges`). */
export function fits(source: DataType, { dataType: target, isTextOnly }: Accepting): boolean {
  if (source === target) return true;
  if (source === 'any' || target === 'any') return !isSubComponentType(source) && !isSubComponentType(target);
  if (target !== 'text') return false;
  if (source === 'number' || source === 'boolean') return true;
  return (source === 'array' || source === 'object') && isTextOnly !== true;
}

/**
 * A value as an input receives it. Converts exactly what `fits` says: into text. Any other value stays as it is, for the
 * component to accept or to reject.
 */
export function converted(value: Json, { dataType, isTextOnly }: Accepting): Json {
  if (dataType !== 'text' || value === null || typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  return isTextOnly === true ? value : JSON.stringify(value);
}
