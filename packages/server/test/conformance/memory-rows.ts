import { part } from './row.ts';

/** Facts and people, as the interface and the catalogue of components define them. */
export const memoryRows = [
  part('Memory', 'components.memory', [
    [
      'facts',
      '`memory_write` stores, replaces and deletes facts; `memory_read` reads one by its key, or searches',
      'memory: are stored, read by their key in the next run, and deleted',
      'memory: are found by their words, and listed without any, the last changed first',
    ],
    [
      'scopes',
      'facts belong to a workflow, to a person, or to all workflows of one owner',
      'memory: are those of the workflow, of a person, or of all workflows of one owner',
    ],
    [
      'key',
      'without a key, a fact has the Idempotency-Key of its step',
      'memory: take their value and the query from the input, and a key of their own in each run without one',
    ],
    [
      'fillable',
      'a model fills `query`, `key` and `value`, and never chooses whose facts it reads',
      'components/src/memory-write: let a model fill what to read, but never whose facts',
      'components/src/memory-write: let a model fill what to write; what to delete must be named',
    ],
    [
      'limits',
      'a fact has at most 64 KiB, and a scope at most 10,000 facts',
      'memory: fail the step if they are too large, or their key or person is not usable',
      'memory.facts: a value that is too large is rejected, and so is one more fact than a scope may have',
    ],
    [
      'people',
      '`identify_user` knows a person across channels, by the email address only with `link_by_email`',
      'memory: knows a person again in other workflows, so that the facts about them are found',
      'memory: links by the address only if the config says so',
    ],
    [
      'api',
      'people read and change facts; those about people and of all workflows only their owner',
      'memory.facts: are stored, listed, searched and deleted',
      'memory.facts: are for its owner and its editors: a viewer reads none, and for others it does not exist',
      'memory.facts: what workflows know about people and share is for their owner only',
    ],
  ]),
];
