import {
  type Edge,
  type Graph,
  isObject,
  type Json,
  type JsonObject,
  type Node,
  type TextGraph,
} from '@millrace/core/editing';
import { parse, stringify } from 'yaml';
import type { Reading } from './text-session.ts';

interface Sketch {
  readonly name?: string;
  readonly nodes?: readonly (JsonObject & { readonly id: string })[];
  readonly edges?: readonly JsonObject[];
  readonly layout?: Readonly<Record<string, readonly [number, number]>>;
}

/** The texts of the service in a simpler language: the same keys, and one text per graph. */
export class ModelTexts {
  name = 'Model';

  canonical({ nodes, edges }: Graph): string {
    const sketch = {
      name: this.name,
      ...(nodes.length > 0 && { nodes: nodes.map(sketchOf) }),
      ...(edges.length > 0 && { edges: edges.map(({ id: _id, ...edge }) => edge) }),
      ...(nodes.length > 0 && { layout: Object.fromEntries(nodes.map((node) => [node.nodeId, placeOf(node)])) }),
    };
    return stringify(sketch, { lineWidth: 0, aliasDuplicateObjects: false });
  }

  read(text: string): Reading {
    const found = sketchIn(text);
    if (typeof found === 'string')
      return { issues: [{ severity: 'error', message: found, line: 1, column: 1 }], workflow: null };
    const graph = graphIn(found);
    const name = found.name ?? '';
    const before = this.name;
    this.name = name;
    const canonical = this.canonical(graph.graph);
    this.name = before;
    return { issues: [], workflow: { graph, changes: name === before ? {} : { name }, canonical } };
  }
}

function sketchOf({ nodeId, componentType, label, config }: Node): JsonObject {
  const { llm_model_config_id: _link, ...rest } = config;
  return { id: nodeId, type: componentType, label, ...rest };
}

function placeOf({ positionX, positionY }: Node): readonly [number, number] {
  return [positionX, positionY];
}

function sketchIn(text: string): Sketch | string {
  let value: Json;
  try {
    value = parse(text) as Json;
  } catch (error) {
    return String(error);
  }
  if (!isObject(value)) return 'A workflow is a map of keys.';
  const sketch = value as unknown as Sketch;
  const ids = (sketch.nodes ?? []).map(({ id }) => id);
  return new Set(ids).size === ids.length ? sketch : 'Another node has this id.';
}

function graphIn({ nodes = [], edges = [], layout = {} }: Sketch): TextGraph {
  return {
    graph: {
      nodes: nodes.map(({ id: nodeId, type, label = null, ...config }, index): Node => {
        const [positionX, positionY] = layout[nodeId] ?? [0, 0];
        return {
          id: index + 1,
          nodeId,
          label: label as string | null,
          componentType: String(type),
          isEntryPoint: false,
          interruptBefore: false,
          interruptAfter: false,
          positionX,
          positionY,
          config: { ...config, llm_model_config_id: null },
          subworkflowId: null,
          codeBlockId: null,
          updatedAt: 0,
        };
      }),
      edges: edges.map((edge, index) => ({ ...(edge as unknown as Edge), id: index + 1 })),
    },
    placed: new Set(Object.keys(layout)),
  };
}
