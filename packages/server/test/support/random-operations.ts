import fc from 'fast-check';

const names = ['a', 'b', 'c', 'd', 'e'];
const types = ['trigger_manual', 'switch', 'template', 'agent', 'ai_model', 'filter'];

/** An operation whose edge is still a number, by which an edge is picked later. */
const drawn = fc.record({
  op: fc.constantFrom(
    'create_node',
    'create_node',
    'create_edge',
    'create_edge',
    'create_edge',
    'update_node',
    'rename',
    'delete_node',
    'update_edge',
    'delete_edge',
  ),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  type: fc.constantFrom(...types),
  label: fc.constantFrom('', '', 'llm', 'llm', 'tool', 'loop_body'),
  route: fc.constantFrom(null, null, 'yes'),
  number: fc.nat({ max: 9 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** Lists of operations that often succeed, and often do not. */
export const drawnOperations = fc.array(drawn, { minLength: 1, maxLength: 6 });

/** The operation as it is sent, for an existing workflow. */
export function operationOn({ edges }: { readonly edges: readonly { readonly id: number }[] }, given: Drawn): object {
  const { op, name, other, type, label, route, number } = given;
  const edge_id = edges[number % Math.max(1, edges.length)]?.id ?? 999_999;
  const target = { target_node_id: other, edge_label: label };
  switch (op) {
    case 'create_node':
      return { op, node: { node_id: name, component_type: type, position_x: number } };
    case 'update_node':
      return { op, node_id: name, changes: { label: other, position_y: number } };
    case 'rename':
      return { op: 'update_node', node_id: name, changes: { node_id: other } };
    case 'create_edge': {
      const condition = route === null ? {} : { edge_type: 'conditional', condition_value: route };
      return { op, edge: { source_node_id: name, ...target, ...condition } };
    }
    case 'update_edge':
      return { op, edge_id, changes: number % 2 === 0 ? target : { priority: number } };
    case 'delete_edge':
      return { op, edge_id };
    case 'delete_node':
      return { op, node_id: name };
  }
}
