import { part } from './row.ts';

/** What a crash, a power cut or a full disk leaves. */
export const engineDurabilityRows = [
  part('The engine: durability', 'engine.durability', [
    [
      'accept',
      'accepting a trigger commits run and payload in one transaction before the answer',
      'server/src/store/sql/group-commit: an accepted run',
      'server/src/store/sql/crash: everything that was answered is there, at the boundary of every commit',
      'server/src/store/sql/crash: a log torn at any byte leaves whole transactions only',
      'durable/kill: kill -9 under load loses no execution, leaves none stuck, repeats no finished step, and does each effect once by its key',
    ],
    [
      'step',
      'a step’s result, the run’s new state and the events it causes are one transaction',
      'server/src/store/sql/group-commit: the facts of a run with the events they cause',
      'server/src/store/testsuite/append: events are published with the append, after its commit and in order',
      'server/src/store/testsuite/append: a run that facts start is accepted with them, and announced',
      'server/src/store/testsuite/append: an append whose start is refused stores nothing',
      'server/src/store/sql/crash: a log torn at any byte leaves whole transactions only',
    ],
    [
      'takeover.lease',
      'after a crash another process takes over when the lease ends',
      'runner/ownership: another process takes a run over when the lease of its owner ends, and not before',
      'runner/ownership: a process that lives keeps its runs, however long a step takes',
      'server/src/store/testsuite/claim: a run is not taken from its owner while the lease lasts, and is when it has ended',
    ],
    [
      'takeover.restart',
      'on the embedded store at restart',
      'runner/runner: another runner goes on where the journal ends, and repeats no finished step',
      'server/src/store/testsuite/claim: recovery makes every running run claimable at once, and leaves the ended ones',
      'durable/kill: kill -9 under load loses no execution, leaves none stuck, repeats no finished step, and does each effect once by its key',
    ],
    [
      'finished',
      'steps that finished are never run again',
      'durable/kill: kill -9 under load loses no execution, leaves none stuck, repeats no finished step, and does each effect once by its key',
      'sim/sim: ends %s random runs as the plain interpreter says, whatever happens to it meanwhile',
      'runner/loops: goes on after a crash where it was: what had ended is not done again',
    ],
    [
      'effect.keyed',
      'a step in flight follows its `effect`: with a key it is performed again with it',
      'runner/unknown-outcomes: is performed again, and no beginning is journaled',
      'durable/kill: kill -9 under load loses no execution, leaves none stuck, repeats no finished step, and does each effect once by its key',
    ],
    [
      'effect.once',
      '`once` says first that it begins, and is not performed again unasked: its outcome is unknown, and that fails it',
      'runner/unknown-outcomes: says that it begins before it acts',
      'runner/unknown-outcomes: is not performed again when its process ended meanwhile: the run fails and says why',
      'runner/unknown-outcomes: goes on by its error edge, or with the error, as with any failure',
    ],
    [
      'effect.on-unknown',
      '`on_unknown` says otherwise: perform it again, fail, or ask a person',
      'runner/unknown-outcomes: is performed again where its node says so, as another attempt',
      'runner/unknown-outcomes: is not performed again where on_unknown is fail',
      'runner/unknown-outcomes: the run waits for a person, and performs the step again when they say so',
      'runner/unknown-outcomes: a person who declines ends the run',
    ],
    [
      'effect.pure',
      '`pure` steps may run ahead of the journal, and others only on what is stored',
      'runner/runner: performs a run to its end and stores each step once',
      'sim/sim: ends seed %s so with every mishap at every call of the store: %j',
    ],
    [
      'key',
      'the stable key is `sha256(run, frame, node)`, the same in every attempt and after a crash',
      'runner/ownership: the Idempotency-Key of a step is the SHA-256 of its run, its frame and its node',
      'runner/loops: gives each iteration of a step a key of its own, the same in every attempt',
    ],
    [
      'key.header',
      'it travels as `Idempotency-Key`',
      'components/src/http-request: carries the key of its step unless it is a GET or HEAD, or has a key of its own',
    ],
    [
      'key.content',
      'and what travels with it is the same at each attempt',
      'executions.attempts: what a step sends with its Idempotency-Key is the same at each attempt, also after its run failed and was retried',
      'sim/sim: ends %s random runs as the plain interpreter says, whatever happens to it meanwhile',
    ],
    [
      'epoch',
      'leases carry an epoch; a zombie that comes back cannot write',
      'server/src/store/testsuite/append: a zombie is refused after another claim, and other runs in its batch are unharmed',
      'runner/runner: the old owner that comes back cannot write',
      'sim/sim: has met every mishap at every crash point',
    ],
    [
      'group-commit',
      'concurrent runs share one fsync',
      'server/src/store/sql/group-commit: lets the facts of many runs share a sync',
      'server/src/store/sql/writer: commits what comes during a sync together, after it, and syncs that too',
    ],
    [
      'group-commit.alone',
      'a run alone is not delayed for it',
      'server/src/store/sql/group-commit: does not delay a call that is alone: it is on its way to the disk in the next turn of the event loop',
    ],
    [
      'disk.failed',
      'a disk that cannot say what it kept ends all writing; a full one refuses in words until there is space',
      'server/src/store/sql/writer: writes nothing more once a sync has failed: nobody can say what the disk has kept',
      'durable/full-disk: a full disk is answered with 503, reads go on, and what waits is done when there is space again',
    ],
    [
      'stop',
      'a clean stop lets steps in flight end, and gives the runs back',
      'runner/runner: waits for steps in flight, then gives the run back to go on later',
    ],
  ]),
];
