import type { Component } from '../component/component.ts';
import { isObject, type JsonObject, own } from '../json.ts';

/** Whether a node's config supplies its first input in place of edges: such edges only order execution. */
export function suppliesOwnInput(
  { extra_config: extra }: JsonObject,
  { inputs }: Pick<Component<never>, 'inputs'>,
): boolean {
  const keys = inputs[0]?.suppliedBy ?? [];
  return isObject(extra) && keys.some((key) => own(extra, key) !== undefined);
}
