import { part } from './row.ts';

/** Retries, replays, tests of workflows, and the simulated world. */
export const engineReplayRows = [
  part('The engine: replay, tests and simulation', 'engine.replay', [
    [
      'retry',
      '`retry` continues a failed run from its journal',
      'executions.retry: continues a failed execution from the failed node, and keeps everything else',
      'executions.retry: resets the attempts of the step and the time limit of the execution',
      'runner/retries: continues with the failed item, and repeats none before it',
      'runner/retries: a retry survives a crash directly after it',
      'core/src/engine/journal/retried-journal: a retry of a random failed run completes it if nothing fails again, and repeats nothing that succeeded',
    ],
    [
      'retry.subworkflows',
      'it continues the sub-workflow that failed',
      'executions.retry.subworkflows: continues it from the failed node, as the same execution with the same keys',
      'executions.retry.subworkflows: continues the innermost one that failed',
    ],
    [
      'replay',
      '`replay` forks any run at any step, reusing the journaled results before it',
      'executions.replay: starts an execution that runs the node and its successors, with the earlier results',
      'executions.replay: runs everything again from the trigger',
      'executions.replay: runs or reuses a loop as a whole',
      'core/src/engine/journal/fork: ends as the plain interpreter predicts, from any node, and performs no reused step',
      'executions.replay.subworkflows: a replay from a node after the sub-workflow reuses its output and does not run it',
    ],
    [
      'replay.values',
      'a replay can change values',
      'executions.replay: replaces outputs of earlier nodes, and the payload of the trigger',
    ],
    [
      'replay.version',
      'and use a newer version',
      'executions.replay: runs another version, and reuses the outputs of nodes of the same type',
    ],
    [
      'versions',
      'versions of a workflow are stored as it changes',
      'versions: lists every version, newest first, with its author and its changes',
      'versions: returns the graph of that version',
      'server/src/store/testsuite/versions: every version is read back exactly as it was, after any later saves',
    ],
    [
      'versions.restore',
      'and can be restored as a new version',
      'versions: creates a new version with that graph, with its original ids, and returns the workflow',
      'server/src/services/workflows/restore-plan: turns any graph into any other, with the same content',
    ],
    [
      'ports',
      'time, randomness, ids, HTTP, models and the sandbox reach the engine through ports',
      'sim/ports: the engine uses clock, randomness, timers and network only through its ports',
    ],
    [
      'simulation',
      'therefore the whole engine runs in one process on a virtual clock from a seed',
      'sim/sim: writes the same journals with the same times for the same seed: %s',
      'sim/sim: has the same result for the same seed',
    ],
    [
      'model',
      'property tests generate random graphs and compare the engine under injected crashes with a plain interpreter',
      'sim/sim: ends random runs like the plain interpreter, despite any mishaps',
      'sim/sim: ends seed %s (%s) like the interpreter with every mishap at every call of the store: %j',
      'core/src/engine/run-model: runs as the plain interpreter predicts, whichever step ends first',
    ],
    [
      'model.plain',
      'the interpreter is short, and has no journals',
      'sim/interpreter: the plain interpreter uses nothing of the engine except its graphs and values, and stays short',
    ],
    [
      'model.complete',
      'every call of the store by the runner is a crash point, and is tested with every mishap',
      'sim/crash-points: every call of the store that the runner makes is a crash point',
      'sim/crash-points: the runner has no other access to the store',
      'sim/sim: has had every mishap at every crash point',
    ],
  ]),
  part('The engine: tests of workflows', 'engine.test', [
    [
      'command',
      '`millrace test FILE` runs a workflow’s own tests; its exit code shows whether they passed, for CI',
      'process/command-line: tests of workflows need no installation: the exit code shows whether they passed, failed, or could not be read',
    ],
    [
      'expected',
      'they are YAML: a payload, and the expected path and outputs',
      'workflow-tests/http: passes if the run matches its expectations',
      'workflow-tests/http: fails if the run differs, and shows the actual values',
      'workflow-tests/bad-files: is rejected with all errors, each with its position',
    ],
    [
      'http',
      'with recorded HTTP',
      'workflow-tests/http: is used for requests with the same method and URL, and with the recorded headers and body',
      'workflow-tests/http: that matches no request leaves it unanswered: the step fails, and the report shows the differences',
    ],
    [
      'models',
      'and recorded answers of models',
      'workflow-tests/models: is used for its node and its input if it names them, and otherwise for the next call',
      'workflow-tests/follow-ups: continues the conversation: the model receives the earlier messages',
    ],
    [
      'clock',
      'on a virtual clock',
      'workflow-tests/time: starts when the test sets it, and passes without waiting: a month takes a moment',
    ],
  ]),
];
