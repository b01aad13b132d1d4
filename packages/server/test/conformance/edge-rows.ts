import { part } from './row.ts';

/** Edges: their rules and endpoints in the specification, and what the interface adds. */
export const edgeRows = [
  part('Edge types and labels', 'spec.edge', [
    ['type.direct', '`direct`: data flows', 'conformance/edges: take the type $type'],
    [
      'type.conditional',
      '`conditional`: from a switch, matched by `condition_value`',
      'conformance/edges: take the type $type',
      'executions: shows the branch that was not taken as skipped',
    ],
    ['label.none', 'the empty label: data', 'conformance/edges: take the label "%s"'],
    ['label.llm', '`llm`: model to AI node', 'conformance/edges: take the label "%s"', 'models.edges: join %s by %s'],
    ['label.tool', '`tool`: tool to agent', 'conformance/edges: take the label "%s"', 'models.edges: join %s by %s'],
    ['label.memory', '`memory`', 'conformance/edges: take the label "%s"', 'models.edges: join %s by %s'],
    ['label.output-parser', '`output_parser`', 'conformance/edges: take the label "%s"', 'models.edges: join %s by %s'],
    ['label.loop-body', '`loop_body`: loop to its body', 'conformance/edges: take the label "%s"'],
    ['label.loop-return', '`loop_return`: body back to its loop', 'conformance/edges: take the label "%s"'],
    ['rule.types', '1. on creation the types must fit', 'edges.create: %s -> %s with label "%s": %s'],
    [
      'rule.loops',
      '2. `loop_body` and `loop_return` skip the types',
      'core/src/graph/edge-rules: labelled %s joins whatever it joins',
      'conformance/edges: take the label "%s"',
    ],
    [
      'rule.switch',
      '3. conditional edges come from a `switch` only',
      'edges.create: from %s with %j are refused in the words of the specification',
    ],
    [
      'rule.llm',
      '4. deleting an `llm` edge clears the target’s link',
      'edges.change: clears the model of the target with an llm edge',
      'models.edges: sets the link of the agent, moves it, and clears it',
    ],
  ]),
  part('Edge endpoints', 'spec.edges', [
    [
      'list',
      'GET: 200 flat array without pages',
      'edges.change: is a flat list of all edges, in the order they were made',
    ],
    ['create', 'POST: 201 Edge', 'edges.create: stores every field that it is given'],
    [
      'create.defaults',
      'type `direct`, label empty, mapping null, value empty, priority 0',
      'edges.create: answers 201 with every documented default',
    ],
    [
      'create.required',
      '`source_node_id` and `target_node_id` are required',
      'edges.create: answers 422 naming %s when it is %j',
    ],
    ['create.event', 'POST emits `edge_created`', 'edges.create: tells subscribers after the commit'],
    ['update', 'PATCH any subset: 200 updated Edge', 'edges.change: changes %s to %j and nothing else'],
    ['update.event', 'PATCH emits `edge_updated`', 'edges.change: tells subscribers'],
    ['update.missing', 'PATCH of a missing one: 404', 'edges.change: answers 404 for the id %s'],
    ['delete', 'DELETE: 204 without a body', 'edges.change: answers 204 without a body, and tells subscribers'],
    ['delete.event', 'DELETE emits `edge_deleted`', 'edges.change: answers 204 without a body, and tells subscribers'],
    ['delete.missing', 'DELETE of a missing one: 404', 'edges.change: answers 404 for the id %s'],
    [
      'of-another',
      'the edge of another workflow is missing',
      'edges.change: answers 404 for the edge of another workflow',
    ],
  ]),
  part('Edges, what the interface adds', 'interface.edges', [
    [
      'order',
      'POST checks body, conditional rules in their order, types, then inserts',
      'core/src/graph/edge-rules: that breaks several rules is told of the first, in the order of the specification',
      'edges.create: are checked for conditional edges too, after their own rules',
    ],
    [
      'later-nodes',
      'an edge may name nodes that come later: 201',
      'edges.create: takes names of nodes that do not exist yet',
    ],
    [
      'later-nodes.validate',
      '`validate` reports edges to nodes that do not exist',
      'validate: reports edges to nodes that do not exist',
    ],
    [
      'conditional.missing-source',
      "a conditional edge whose source is missing gets the 'switch' message",
      'edges.create: from %s with %j are refused in the words of the specification',
    ],
    [
      'duplicate',
      'the same source, target, type, label and value: 409',
      'edges.create: refuses a second edge that says the same with 409',
      'edges.change: refuses to become another edge’s double with 409',
    ],
    ['self', 'from a node to itself: 422', 'edges.create: refuses %s'],
    [
      'fits',
      'unlabelled: first output to first input; same type, `any`, or `number` and `boolean` into `text`',
      'core/src/graph/edge-rules: without a label joins the first output with the first input, and needs both',
      'core/src/component/ports: takes its own type',
      'core/src/component/ports: of a sub-component type takes nothing else and goes nowhere else',
    ],
    [
      'no-input',
      'a node without inputs takes no unlabelled edge',
      'edges.create: %s -> %s with label "%s": %s',
      'models.edges: do not join %s by %j',
    ],
    [
      'labelled',
      'labelled: the target has the slot and the source gives its type',
      'core/src/graph/edge-rules: labelled %s needs the sub-input %s, and an output of its type anywhere',
    ],
    [
      'message',
      'the message names both types, ports and data types',
      'core/src/graph/edge-rules: that does not fit says which types do not',
      'edges.create: %s -> %s with label "%s": %s',
    ],
    [
      'update.checks',
      'PATCH checks the merged edge as POST does',
      'edges.change: checks what comes of %j as a new edge',
    ],
    [
      'update.llm',
      'PATCH moves the link when an `llm` edge moves',
      'edges.change: moves the model when an llm edge moves',
    ],
    [
      'llm.sets',
      'an `llm` edge sets the target’s `llm_model_config_id`; deleting it clears it',
      'edges.create: sets the model of the target with an llm edge',
      'edges.change: clears the model of the target with an llm edge',
      'nodes.references: is what the edges say, so it cannot be set without one, or to another',
    ],
    [
      'error-label',
      'label `error`: taken when the source fails',
      'core/src/engine/advance: takes its error edge with what went wrong',
    ],
  ]),
];
