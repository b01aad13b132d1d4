import { z } from 'zod';
import type { Catalogue } from '../component/component.ts';
import { edgeDraft, nodeFields } from '../graph/graph-fields.ts';
import type { Draft, DraftNode, PlacedEdge } from './draft.ts';
import { parseEdgeText } from './edge-text.ts';
import { NodeReader } from './node-reader.ts';
import type { Reader } from './reader.ts';
import { placeFromEdge } from './stray-keys.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

/** The keys of a text in the graph form, in addition to those of every text. */
export const graphKeys = ['nodes', 'edges', 'layout'] as const;

/** The nodes and edges of a text in the graph form. */
export function readGraphForm(reader: Reader, catalogue: Catalogue): Omit<Draft, 'header'> {
  const nodeReader = new NodeReader(reader, catalogue);
  const nodes = pathsBelow(reader, 'nodes').map((path) => nodeReader.read(path));
  const edges = pathsBelow(reader, 'edges').map((path) => readEdge(reader, path));
  const read = {
    nodes: nodes.filter((node): node is DraftNode => node !== null),
    edges: edges.filter((edge): edge is PlacedEdge => edge !== null),
  };
  return { ...read, layout: readLayout(reader, read.nodes) };
}

function pathsBelow(reader: Reader, key: string): readonly YamlPath[] {
  return Array.from({ length: reader.countAt([key], `'${key}'`) }, (_item, index) => [key, index]);
}

function readEdge(reader: Reader, path: YamlPath): PlacedEdge | null {
  const value = reader.jsonAt(path);
  if (typeof value === 'string') {
    const edge = parseEdgeText(value);
    if (typeof edge !== 'string') return { edge, path };
    reader.report({ code: 'field', message: edge }, path);
    return null;
  }
  return readEdgeFields(reader, path);
}

function readEdgeFields(reader: Reader, path: YamlPath): PlacedEdge | null {
  const keys = reader.keysAt(path, 'An edge');
  if (keys === null) return null;
  const known = Object.keys(edgeDraft.shape);
  for (const key of keys) if (!known.includes(key)) reader.reportUnknown([...path, key], known, placeFromEdge(key));
  const fields = reader.read<z.output<typeof edgeDraft> | null>(path, edgeDraft, null);
  if (fields === null) return null;
  return {
    edge: {
      sourceNodeId: fields.source_node_id,
      targetNodeId: fields.target_node_id,
      edgeType: fields.edge_type,
      edgeLabel: fields.edge_label,
      conditionMapping: fields.condition_mapping,
      conditionValue: fields.condition_value,
      priority: fields.priority,
    },
    path,
  };
}

const place = z.tuple([nodeFields.position, nodeFields.position]);

function readLayout(reader: Reader, nodes: readonly DraftNode[]): Draft['layout'] {
  const names = new Set(nodes.map(({ nodeId }) => nodeId));
  const layout = new Map<string, readonly [number, number]>();
  if (reader.nodeAt(['layout']) === undefined) return layout;
  for (const nodeId of reader.keysAt(['layout'], "'layout'") ?? []) {
    if (!names.has(nodeId)) reader.reportUnknown(['layout', nodeId], names);
    layout.set(nodeId, reader.read<readonly [number, number]>(['layout', nodeId], place, [0, 0]));
  }
  return layout;
}
