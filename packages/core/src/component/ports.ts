import type { Meter, SlicedWork } from '../base/meter.ts';
import { writtenJson } from '../expression/json/json-pieces.ts';
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

/** An output of a node. Unlabelled edges carry the first output. */
export interface OutputPort {
  readonly name: string;
  readonly dataType: DataType;
  /** One sentence for the user. */
  readonly description: string;
  /** The sub-input that, once connected, decides the type of the value: the output is then of type `any`. */
  readonly typedBy?: string;
}

/** An input for a value, or a slot for a sub-component. */
export interface InputPort extends OutputPort {
  readonly required: boolean;
  /** Keys of the component's own config, each of which supplies the input: edges then only order execution. */
  readonly suppliedBy?: readonly string[];
  /** The step fails if neither an edge nor the config supplies the input. Only for inputs that are not `required`. */
  readonly failsEmpty?: true;
  /** Only text is accepted, such as for a URL: lists and objects are not converted to JSON. */
  readonly isTextOnly?: true;
}

/** The properties that determine which values an input accepts. */
type Accepting = Pick<InputPort, 'dataType' | 'isTextOnly'>;

/** Whether a value of type `source` may flow into an input, unchanged or converted (`spec: Edges`). */
export function fits(source: DataType, { dataType: target, isTextOnly }: Accepting): boolean {
  if (source === target) return true;
  if (source === 'any' || target === 'any') return !isSubComponentType(source) && !isSubComponentType(target);
  if (target !== 'text') return false;
  if (source === 'number' || source === 'boolean') return true;
  return (source === 'array' || source === 'object') && isTextOnly !== true;
}

/**
 * A value as an input receives it. Converts only as `fits` allows: to text. The component accepts or rejects any other
 * value unchanged.
 */
export function* converted(value: Json, { dataType, isTextOnly }: Accepting, meter?: Meter): SlicedWork<Json> {
  if (dataType !== 'text' || value === null || typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  return isTextOnly === true ? value : yield* writtenJson(value, meter);
}
