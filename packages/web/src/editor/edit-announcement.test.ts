import { expect, it } from 'vitest';
import type { Operation } from '../api/graph.ts';
import type { Graph } from '../state/graph.ts';
import { editAnnouncement } from './edit-announcement.ts';

const before = {
  nodes: [
    { node_id: 'fetch', label: 'Fetch' },
    { node_id: 'agent', label: null },
  ],
  edges: [{ id: 7, source_node_id: 'fetch', target_node_id: 'agent', edge_label: '', condition_value: '' }],
} as unknown as Graph;

const move = (node_id: string): Operation => ({ op: 'update_node', node_id, changes: { position_x: 8 } });

it.each<[string | null, Operation[]]>([
  ['Moved Fetch', [move('fetch')]],
  ['Moved 2 nodes', [move('fetch'), move('agent')]],
  ['Deleted Fetch', [{ op: 'delete_node', node_id: 'fetch' }]],
  ['Disconnected Fetch › output from agent › input', [{ op: 'delete_edge', edge_id: 7 }]],
  [
    'Connected Fetch › large to agent › input',
    [{ op: 'create_edge', edge: { source_node_id: 'fetch', target_node_id: 'agent', condition_value: 'large' } }],
  ],
  [
    'Added model. Connected model › output to agent › model',
    [
      { op: 'create_node', node: { node_id: 'model', component_type: 'ai_model' } },
      { op: 'create_edge', edge: { source_node_id: 'model', target_node_id: 'agent', edge_label: 'llm' } },
    ],
  ],
  ['Renamed agent to Clerk', [{ op: 'update_node', node_id: 'agent', changes: { label: 'Clerk' } }]],
  [null, [{ op: 'update_node', node_id: 'agent', changes: { config: {} } } as unknown as Operation]],
])('says %j', (text, operations) => {
  expect(editAnnouncement(operations, before)).toBe(text);
});
