import { part } from './row.ts';

/** Loops, other workflows, and what a run waits for. */
export const enginePauseRows = [
  part('The engine: loops', 'engine.loop', [
    [
      'frames',
      'a loop has one frame for each item; its body is what `loop_body` reaches until `loop_return`',
      'core/src/fold-loop: runs its body once for each item, in frames of their own, and goes on with what returned',
      'core/src/loop-bodies: is what loop_body leads to, until loop_return',
      'core/src/loop-bodies: has branches that lead nowhere in it, and handlers of errors',
    ],
    [
      'concurrency',
      '`concurrency` items at a time',
      'core/src/fold-loop: has no more items under way than its concurrency',
      'runner/loops: has as many items under way at once as it may',
    ],
    [
      'results',
      '`results[i]` is the output that returned in frame i, in item order',
      'core/src/fold-loop: keeps the order of the items, whichever ends first',
      'core/src/fold-loop: has null for an item for which nothing returned',
      'core/src/fold-loop: keys by node id what several nodes returned for one item',
    ],
    ['batches', 'with `batch_size` an item is a list of so many', 'components/src/loop: makes lists of so many items'],
    [
      'on-error',
      'an item that fails ends the loop, or is an entry of `errors` where it is to continue',
      'core/src/fold-loop: ends its loop, which names it, and the run',
      'core/src/fold-loop: is null and an entry of errors where the loop is to go on',
      'core/src/fold-loop: takes what else is under way in its frame with it',
      'core/src/fold-loop: leaves a loop that fails its own ways: the error edge',
    ],
    [
      'nested',
      'loops nest',
      'core/src/fold-loop: may be in the body of another',
      'durable/pauses: %s in %s comes to the same end, wherever the runner is killed',
    ],
    [
      'pauses',
      'waits, approvals and sub-workflows inside a body work',
      'durable/pauses: %s in %s comes to the same end, wherever the runner is killed',
      'executions.waits: in a loop several frames wait for the same node: a decision names which',
      'durable/waiting: a loop whose time is up ends, whatever its body waits for, and what that started is cancelled',
    ],
    ['shape', 'a body has no other way in or out', 'core/src/loop-bodies: %s', 'core/src/plan: is refused for %s'],
    [
      'size',
      'a loop over 10,000 items forgets each item that has ended',
      'runner/loops: over 10,000 items %s',
      'core/src/fold-loop: forgets each item that has ended',
    ],
  ]),
  part('The engine: waits, people and other workflows', 'engine.pause', [
    [
      'wait',
      '`wait` lasts a duration, until a time, or until its callback URL is called',
      'components/src/wait: of %j lasts %i ms',
      'executions.waits: a long wait holds no worker, and goes on when its time has come',
      'executions.links: is known before its step, needs no key, and works once, with the body as the output',
    ],
    [
      'wait.early',
      'a callback that comes before its step has paused is kept for it',
      'executions.links: that comes before its step has paused is kept for it',
    ],
    [
      'confirmation',
      '`human_confirmation` waits for `resume/`, once',
      'executions.waits: a person who may write answers a question, once',
      'components/src/human-confirmation: puts out what the person said, and who it was',
    ],
    [
      'confirmation.links',
      'or for a signed link, which decides only by its button and expires',
      'executions.links: shows a page that decides nothing; its button does, once',
      'executions.links: expires',
      'executions.links: cannot be turned into the other one',
    ],
    [
      'confirmation.timeout',
      'when nobody answers in time its default counts',
      'executions.waits: a question that nobody answers in time is answered by its default',
    ],
    [
      'interrupt',
      '`interrupt_before` and `interrupt_after` ask on any node',
      'executions.waits: a node that interrupts is asked about before it runs, and after',
      'core/src/fold-pause: asks before it runs and after it has succeeded, and only then lets its edges be taken',
      'core/src/fold-pause: ends the run where the answer is no, before it and after it',
    ],
    [
      'race',
      'an answer is taken once, whenever it comes',
      'durable/waiting: is taken once, whenever it comes, and the run goes on',
      'durable/waiting: or its cancelling: the run ends in one of the two ways, and never hangs',
    ],
    [
      'subworkflow',
      'a step runs another workflow, and waits for it or not',
      'executions.subworkflows: a step runs another workflow and goes on with what that answers',
      'executions.subworkflows: while the other one runs, the step waits without a worker and says for what',
      'executions.subworkflows: without waiting it goes its own way',
      'executions.subworkflows: its failure fails the step, in words that name it',
    ],
    [
      'subworkflow.cycle',
      'workflows that call themselves are found by `validate` and stopped at once',
      'validate.subworkflows: validate finds a workflow that calls itself, or comes back through others',
      'executions.subworkflows: a workflow that calls %s is stopped before it begins again',
      'executions.subworkflows: a workflow that calls another one twice, side by side or below each other, is no circle',
    ],
    [
      'subworkflow.depth',
      'executions start each other 20 deep at most',
      'executions.subworkflows: a workflow that names itself by an expression may call itself, 20 deep',
    ],
    [
      'pinned-output',
      '`pinned_output` stands for a step in executions that are started by hand',
      'pinned-output: stands for what the node would do in an execution that is started by hand',
      'pinned-output: does not stand for it in any other',
    ],
  ]),
];
