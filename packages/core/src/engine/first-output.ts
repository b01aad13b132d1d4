import type { Component } from '../component/component.ts';
import { switchType } from '../graph/edge-rules.ts';
import { type Json, type JsonObject, own } from '../json.ts';

/** The value that the direct and conditional edges of a finished node carry: its first output. */
export function firstOutput({ type, outputs: ports }: Component<never>, outputs: JsonObject): Json {
  const [port] = ports;
  const value = port && own(outputs, port.name);
  if (value !== undefined) return value;
  // Before the port `output` existed, a switch recorded only its route and passed the route on: such a run continues
  // with it.
  return (type === switchType ? own(outputs, 'route') : undefined) ?? null;
}
