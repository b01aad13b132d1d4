import { isMap, isScalar, isSeq } from 'yaml';
import { YamlSource } from './yaml-source.ts';

/** Where a node is in a text, in UTF-16 offsets. */
export interface NodePlace {
  readonly nodeId: string;
  readonly from: number;
  readonly to: number;
}

/** The places of the nodes in a text, in its order; none in a text with a syntax error. */
export function nodePlaces(text: string): readonly NodePlace[] {
  const source = YamlSource.of(text);
  const nodes = source?.root.get('nodes', true);
  if (source === null || !isSeq(nodes)) return [];
  return nodes.items.flatMap((item) => {
    const id: unknown = isMap(item) ? item.get('id', true) : undefined;
    if (!isMap(item) || !isScalar(id) || item.range === null || item.range === undefined) return [];
    return [{ nodeId: String(id.value), from: item.range[0], to: source.contentEnd(item as typeof source.root) }];
  });
}
