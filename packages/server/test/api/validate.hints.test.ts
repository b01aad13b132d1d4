import { catalogue } from '@millrace/components';
import { expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

/** A text with these nodes, as `name: type`, and these edges. */
function textOf(nodes: string, edges: string): string {
  const lines = nodes.split(', ').map((node) => {
    const [id, type] = node.split(': ');
    // Its errors take an edge.
    const policies = id === 'routing' ? ', policies: {on_error: route}' : '';
    return `  - {id: ${id}, type: ${type}${policies}}\n`;
  });
  const quoted = edges.split(', ').map((edge) => `"${edge}"`);
  return `name: T\nnodes:\n${lines.join('')}edges: [${edges === '' ? '' : quoted.join(', ')}]\n`;
}

const start = 's: trigger_manual';

it.each([
  ['missing_connection', `${start}, a: agent`, 's -> a', "by an edge labelled 'llm'"],
  ['edge_types', 'm: ai_model, a: agent', 'm -> a', "Label the edge 'llm'"],
  ['edge_types', 'm: ai_model, a: filter', 'm -> a', "labelled 'llm' to a node with a 'model' connection: 'agent'"],
  ['edge_types', 'm: ai_model, a: agent', 'a -> m', "Reverse the edge and label it 'llm': 'm' -> 'a'."],
  ['edge_types', 'm: ai_model, a: filter', 'm -llm-> a', "'model' connection: 'agent'"],
  ['edge_types', 't: template, a: agent', 't -llm-> a', "of these types instead: 'ai_model'"],
  ['edge_types', `t: template, ${start}`, 't -> s', 'A trigger starts runs'],
  ['edge_types', 't: template, f: filter', 't -> f', 'whose output is array'],
  ['edge_types', 't: template, l: loop', 't -> l', "set 'items' of 'l'"],
  ['edge_types', `${start}, a: filter, b: filter`, 's -> a, s -> b, a -> b', "Put a 'merge' node"],
  ['edge_rule', 't: template, u: template', 't -[x]-> u', "put a 'switch' node at its start"],
  ['edge_rule', 't: template', 't -> t', "Only a 'loop' node repeats steps"],
  ['missing_node', `${start}, t: template`, 's -> tt', 'Available: s, t.'],
  ['unknown_component', `${start}, t: nothing_like_it`, 's -> t', 'Available: '],
  [
    'loop_body',
    `${start}, l: loop, a: template`,
    's -> l, l -loop_body-> a, s -> a',
    "Other edges also lead to 'a': s -> a.",
  ],
  ['missing_error_edge', `${start}, routing: template`, 's -> routing', "Add an edge labelled 'error'"],
  ['no_trigger', 't: template', '', "such as 'trigger_manual'"],
  ['unreachable', `${start}, t: template`, '', 'Add an edge to it from a trigger'],
])('the hint of %s for %s and the edges %s names the remedy', async (code, nodes, edges, remedy) => {
  const api = await startTestApp({ catalogue });
  const { body } = await api.post('/api/v1/workflows/validate-dsl/', { yaml_str: textOf(nodes, edges) });
  expect(body).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ code, hint: expect.stringContaining(remedy) })]),
  });
});
