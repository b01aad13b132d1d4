import { emptyConfig, type Node } from '@millrace/core/editing';
import { expect, test } from 'vitest';
import { storedValue } from './stored-value.ts';

const config = { ...emptyConfig, llm_credential_id: 3, extra_config: { url: '', body: { a: 1 } } };
const node = { id: 7, nodeId: 'load', label: 'Load', config } as unknown as Node;
const graph = { nodes: [node], edges: [] };

test.each([
  ['label', 'Load'],
  ['llm_credential_id', 3],
  ['url', ''],
  ['body', { a: 1 }],
  ['model_name', undefined],
  ['method', undefined],
])('the field %s of a node has the value %j', (key, value) => {
  expect(storedValue(graph, { id: 7, node_id: 'load' }, key)).toEqual(value);
  expect(storedValue(graph, { id: 7, node_id: 'renamed' }, key)).toEqual(value);
  expect(storedValue(graph, { id: 8, node_id: 'deleted' }, key)).toBeUndefined();
});
