import { isObject, type Json, type JsonObject } from '../../json.ts';

/** A call of a tool that a model asks for. */
export interface ToolCall extends JsonObject {
  /** Unique in its answer. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** Empty if the model sent no JSON object. */
  readonly arguments: JsonObject;
  /** Why the arguments cannot be used. */
  readonly problem?: string;
}

/** Whether a stored value is a tool call. */
export function isToolCall(value: Json): value is ToolCall {
  return isObject(value) && typeof value.id === 'string' && typeof value.tool === 'string';
}
