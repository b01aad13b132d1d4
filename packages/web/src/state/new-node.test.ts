import { expect, test } from 'vitest';
import type { NodeType } from '../api/node-types.ts';
import type { GraphNode } from './graph.ts';
import { newNode } from './new-node.ts';

const type = { component_type: 'template' } as NodeType;
const node = (node_id: string, position_x = 0, position_y = 0) => ({ node_id, position_x, position_y }) as GraphNode;

test('a new node has the name of its type, with a number if the name is taken', () => {
  expect(newNode(type, []).node_id).toBe('template');
  expect(newNode(type, [node('template'), node('template_2')]).node_id).toBe('template_3');
  expect(newNode({ component_type: 'trigger_webhook' } as NodeType, []).node_id).toBe('webhook');
});

test('new nodes never cover each other', () => {
  const nodes: GraphNode[] = [];
  for (let count = 0; count < 20; count += 1) {
    const added = newNode(type, nodes);
    for (const { position_x: x, position_y: y } of nodes) {
      expect(Math.abs(x - added.position_x) >= 248 || Math.abs(y - added.position_y) >= 104).toBe(true);
    }
    nodes.push(node(added.node_id, added.position_x, added.position_y));
  }
});
