import { part } from './row.ts';

/** The nodes that a run performs, and their order. */
export const engineScopeRows = [
  part('The engine: scope and order', 'engine.scope', [
    [
      'trigger',
      'a run starts at one trigger node and contains the nodes it reaches',
      'core/src/engine/plan: contains exactly the nodes that the trigger reaches',
      'core/src/engine/plan: ignores edges from nodes that the trigger does not reach',
    ],
    [
      'edges',
      'it follows unlabelled, conditional, `error`, `loop_body` and `loop_return` edges',
      'core/src/engine/plan: follows edges without a label, conditional ones, and those of errors and loops',
    ],
    [
      'sub-components',
      'models, tools, memory and parsers are never steps; the node they are connected to uses them',
      'core/src/graph/sub-components: are never steps',
      'core/src/engine/plan: excludes edges to sub-components',
      'core/src/graph/sub-components: are found by the labels of its edges',
    ],
    [
      'version',
      'a run pins the version it started with; later edits never change it',
      'runner/versions: a run whose workflow is changed meanwhile %s',
      'runner/versions: a run that was accepted before its workflow was changed keeps its version',
    ],
    [
      'decided',
      'every edge in scope becomes taken or dead, so every node of a completed run ends, once per frame',
      'core/src/engine/run-model: runs as the plain interpreter predicts, whichever step ends first',
    ],
    [
      'join.all',
      'by default a node waits for all its edges, and runs if at least one is taken',
      'core/src/engine/fold/fold-edges: of all waits for every branch in any order',
      'sim/matrix: a node that waits for $rule, $place, before and after a crash',
    ],
    [
      'join.any',
      'with `any` it runs for the first edge that is taken, once',
      'core/src/engine/fold/fold-edges: of any runs the node for the first branch, and not again for the others',
      'sim/matrix: a node that waits for $rule, $place, before and after a crash',
    ],
    [
      'join.count',
      'with `{count: n}` it runs once n are taken, once',
      'core/src/engine/fold/fold-edges: of a count runs the node once when that many edges are taken, with their values, and not again',
      'core/src/engine/advance: skips a node when its required count of taken edges can no longer be reached',
      'sim/matrix: a node that waits for $rule, $place, before and after a crash',
    ],
    [
      'dead-path',
      'if all its edges are dead, a node is skipped and its own edges are dead: a merge after a switch never hangs and never runs twice',
      'core/src/engine/advance: takes the branch of the route, skips the whole other branch, and joins them once',
      'sim/matrix: a node that waits for $rule, $place, before and after a crash',
    ],
    ['parallel', 'independent nodes run in parallel', 'runner/runner: performs independent steps at the same time'],
    [
      'ready-order',
      'among ready nodes the order is priority, then edge id',
      'core/src/engine/advance: the node whose edge has the highest priority, then the lowest id, starts first',
      'core/src/engine/advance: one that became ready later starts first if its edge comes first',
      'runner/order: start in the order of their edges',
    ],
    [
      'timing.result',
      'no result depends on timing: a run has the same result for any order in which its steps end',
      'core/src/engine/run-model: has the same end in every order, though its journal differs',
      'core/src/engine/run-model: writes the same facts in every order, unless a join takes the first edge or a failure stops other steps',
    ],
    [
      'timing.journal',
      'two runs with the same inputs and the same step results write the same journal, except for times: its order is that in which steps ended',
      'core/src/engine/run-model: writes the same journal when its steps end in the same order',
      'runner/order: write the same journal, except for times',
      'runner/order: write the same facts if their steps have other durations; only the order follows the ends of the steps',
    ],
    ['steps', 'a run has at most 10,000 steps', 'runner/loops: over 10,000 items %s'],
    [
      'steps.configured',
      '`MILLRACE_MAX_STEPS` changes this limit',
      'process/run-limits: %s=%s limits each run',
      'server/src/ground/config: have defaults that listen on loopback only',
    ],
    [
      'cycle',
      'unlabelled cycles are rejected by `validate` and at start',
      'core/src/validation/validate: is an error that names its nodes',
      'core/src/engine/plan: is rejected for %s',
      'executions.execute: is not started on an invalid graph',
    ],
  ]),
  part('The engine: switches', 'engine.switch', [
    [
      'value',
      'the route that matches an edge’s `condition_value` takes that edge, before anything else',
      'core/src/engine/fold/fold-edges: are taken %s',
      'core/src/engine/advance: takes the branch of the route, skips the whole other branch, and joins them once',
    ],
    [
      'mapping',
      'otherwise the legacy `condition_mapping` selects the node',
      'core/src/engine/fold/fold-edges: are taken %s',
      'core/src/engine/advance: follows a legacy mapping for the route %s',
    ],
    ['mapping.end', 'in the mapping `__end__` ends the branch', 'core/src/engine/fold/fold-edges: are taken %s'],
    [
      'fallback',
      'otherwise `__other__` if `enable_fallback` is set',
      'core/src/engine/fold/fold-edges: are taken %s',
      'core/src/engine/advance: takes the fallback edge for a route without an edge if the switch has one',
    ],
    [
      'none',
      'otherwise all its edges are dead',
      "core/src/engine/advance: skips all branches when no route matches, and completes with the switch's output",
    ],
  ]),
];
