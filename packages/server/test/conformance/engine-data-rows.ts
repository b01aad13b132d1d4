import { part } from './row.ts';

/** The inputs of steps, and the names in expressions. */
export const engineDataRows = [
  part('The engine: data', 'engine.data', [
    [
      'input.one',
      'a node’s input is the first output of the taken predecessor',
      'core/src/engine/step-input: a node with one predecessor receives its value alone',
    ],
    [
      'input.switch',
      'a switch passes its input on',
      'core/src/engine/first-output: passes its input to the nodes behind it',
      'components/src/switch: passes its input %j on unchanged, whichever route it takes',
      'executions.switch: passes its input on to the next nodes, for every route',
    ],
    [
      'input.switch.before',
      'a run recorded when a switch had only its route continues with that behaviour',
      'core/src/engine/first-output: that was recorded with only its route passes the route to them, as it did then',
      'core/src/engine/first-output: recorded in that format lets every run continue from any point',
    ],
    [
      'input.several',
      'with several predecessors it is an object keyed by node id',
      'core/src/engine/step-input: a node with several predecessors receives an object keyed by node id',
    ],
    [
      'input.gathered',
      'merge and aggregator receive the list in edge order',
      'core/src/engine/step-input: a gathering node receives a list in the order of the edges: by priority, then by id, in any order of ends',
      'core/src/engine/step-input: with one branch, a node that always gathers receives a list, and one that gathers several receives the value',
      'components/src/merge: appends lists and other values in the order of its branches, by default',
    ],
    [
      'expressions.where',
      'expressions are `{{ … }}` in any string of the config',
      'core/src/expression/config/config: expressions are resolved everywhere, and all other parts are shared',
    ],
    [
      'expressions.when',
      'they are evaluated just before the step',
      'expressions: is evaluated just before its step, with the results so far',
    ],
    [
      'scope.trigger',
      'they see `trigger` (payload, text) and `input`',
      "expressions: the trigger's data, by three names",
      'core/src/engine/run-scope: contains the name %s',
    ],
    [
      'scope.nodes',
      'they see `nodes.<node_id>.<port>` and the shorthand `<node_id>.<port>`',
      'expressions: the outputs of earlier nodes, by nodes and by the shorthand',
    ],
    [
      'scope.loop',
      'they see `loop` (item, index, total)',
      'expressions: the item, the index and the count of a loop',
      'core/src/engine/fold/fold-loop: can use the iteration, and that of the surrounding loop',
    ],
    ['scope.run', 'they see `run` (id, started_at, workflow)', 'expressions: the run itself'],
    [
      'scope.vars',
      'they see `vars`, which is empty if there are no variables',
      'expressions: no variables if there are none, without an error for the name alone',
    ],
    [
      'types.one',
      'a string that is one expression has the type of its value',
      'core/src/expression/config/template: %s',
      'expressions: that is one expression keeps the type of its value, and mixed text renders it',
    ],
    [
      'types.mixed',
      'mixed text renders its values',
      'core/src/expression/config/template: %s',
      'expressions: that is one expression keeps the type of its value, and mixed text renders it',
    ],
    [
      'filters',
      'filters work like in Jinja',
      'core/src/expression/filters/filters: %s',
      'core/src/expression/filters/filters: have a case here for each filter, by its name or an alias',
      'core/src/expression/nunjucks: nunjucks produces the same values',
    ],
    [
      'unknown.checked',
      'unknown names, ports and filters are validation errors with their position, if they can be known',
      'core/src/validation/validate: that do not exist are errors with their path: %s',
      'validate: reports unknown names in expressions, with their position',
      'expressions: a name of %s',
    ],
    [
      'unknown.run',
      'otherwise they fail the step at run time, never with a silent null or with the text of the template',
      'expressions: a reference to %s',
      'core/src/expression/evaluate: at the position of the missing key',
    ],
    [
      'once',
      'a value is never evaluated a second time',
      'core/src/expression/config/template: a value is never evaluated a second time',
      'expressions: is evaluated once: braces in a value are text, through any number of nodes',
    ],
    [
      'blobs',
      'values over 256 KiB are stored as blobs; the journal contains a reference',
      'server/src/store/sql/executions/blobs: a journal stores large values by reference, and returns them in their places',
      'server/src/store/sql/executions/blobs: a value just below the limit is stored in the journal',
      'docs/limits: matches the code: $limit, $figure',
    ],
    [
      'blobs.shared',
      'a blob that several runs refer to is stored once, and deleted with the last of them',
      'server/src/store/sql/executions/blobs: a value is deleted with the last run that uses it',
    ],
    [
      'bytes',
      'a run has a byte budget, and fails if it exceeds it',
      'runner/budget: a run whose outputs exceed the limit fails with that reason',
      'runner/budget: outputs before a crash count after it',
    ],
    [
      'bytes.default',
      'of 64 MiB by default; `MILLRACE_MAX_RUN_BYTES` changes that',
      'server/src/ground/config: have defaults that listen on loopback only',
      'process/run-limits: %s=%s limits each run',
    ],
  ]),
];
