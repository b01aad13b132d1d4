import { type Edge, type JsonObject, nodeConfig } from '@millrace/core';
import type { EdgeFields, NodeFields } from '../../src/store/graphs.ts';

/** A node with only the given values: its config, and other fields that a test sets. */
export function blankNode(
  nodeId: string,
  componentType: string,
  { extra = {}, ...fields }: Partial<NodeFields> & { readonly extra?: JsonObject } = {},
): NodeFields {
  return {
    nodeId,
    componentType,
    config: nodeConfig.parse({ extra_config: extra }),
    label: null,
    isEntryPoint: false,
    interruptBefore: false,
    interruptAfter: false,
    positionX: 0,
    positionY: 0,
    subworkflowId: null,
    codeBlockId: null,
    ...fields,
  };
}

/** An edge with only its ends, and its label if it has one. */
export function blankEdge(sourceNodeId: string, targetNodeId: string, edgeLabel: Edge['edgeLabel'] = ''): EdgeFields {
  return {
    sourceNodeId,
    targetNodeId,
    edgeType: 'direct',
    edgeLabel,
    conditionMapping: null,
    conditionValue: '',
    priority: 0,
  };
}

/** The edges of lines such as `a -> b`, or `a -error-> b`. */
export function edgesOf(lines: string): readonly EdgeFields[] {
  return lines.split('\n').filter(Boolean).map(edgeOf);
}

function edgeOf(line: string): EdgeFields {
  const [, source = '', label = '', target = ''] = /^(\w+) -(?:(\w+)-)?> (\w+)$/.exec(line.trim()) ?? [];
  return blankEdge(source, target, label as Edge['edgeLabel']);
}
