import type { JsonObject } from '@millrace/core';
import type { Running } from './running.ts';

/** A workflow in the short form of the tests. */
export type Sketch = Parameters<Running['addWorkflow']>[2];

/** A node that runs another workflow. */
export const call = (workflow: string, extra: JsonObject = {}) => ['workflow', { workflow, ...extra }] as const;

/** A workflow that performs a step, calls `sub`, and performs another step. */
export const calling = (extra: JsonObject = {}): Sketch => ({
  nodes: { start: 'trigger_manual', first: 'work', call: call('sub', extra), last: 'work' },
  edges: 'start -> first\nfirst -> call\ncall -> last',
});

/** A sub-workflow of three steps. */
export const sub: Sketch = {
  nodes: { begin: 'trigger_workflow', a: 'work', b: 'work', c: 'work' },
  edges: 'begin -> a\na -> b\nb -> c',
};
