import type { JournalEntry } from '@millrace/core';
import { expect, test } from 'vitest';
import { type KillPoint, PauseWorld, type Sketch } from './pause-world.ts';

/**
 * Only every n-th kill point of a case is tested, always the same ones, so that the tests take a few seconds.
 * `PAUSE_KILLS=all` tests each.
 */
const stride = process.env.PAUSE_KILLS === 'all' ? 1 : 5;

const asking = ['human_confirmation', { prompt: 'Go?' }] as const;
const echo = ['transform', { expression: 'trigger.payload.n' }] as const;

/** A step that counts in a value of state, which all workflows of these tests share. */
const counting = (key: string) => ['state', { operation: 'increment', key, scope: 'tests' }] as const;

/** The keys of all values that the workflows below change. Iterations run in any order, so each has its own. */
const stateKeys = ['count', 'list', '0', '1', '0-0', '0-1', '1-0', '1-1'];

/** Each kind of pause, as the node that causes it. */
const pauses: Readonly<Record<string, Sketch['nodes'][string]>> = {
  timer: ['wait', { duration: 10 }],
  callback: ['wait', { callback: true }],
  approval: asking,
  'an independent workflow': ['workflow', { workflow: 'child', payload: { n: 8 }, wait: false }],
  'a child': ['workflow', { workflow: 'child', payload: { n: 7 } }],
  interrupt_before: [...echo, { interruptBefore: true }],
  interrupt_after: [...echo, { interruptAfter: true }],
};

/** Each place for the pausing node. */
const places: Readonly<Record<string, (pause: Sketch['nodes'][string]) => Readonly<Record<string, Sketch>>>> = {
  'the run itself': (pause) => ({ main: around(pause) }),
  'a loop': (pause) => ({
    main: {
      nodes: {
        start: ['trigger_manual', {}],
        each: ['loop', { items: [1, 2], concurrency: 2 }],
        pause,
        count: counting('{{ loop.index }}'),
      },
      edges: 'start -> each\neach -loop_body-> pause\npause -> count\npause -loop_return-> each',
    },
  }),
  'a loop in a loop': (pause) => ({
    main: {
      nodes: {
        start: ['trigger_manual', {}],
        outer: ['loop', { items: [1, 2], concurrency: 2 }],
        inner: ['loop', { items: [3, 4] }],
        pause,
        count: counting('{{ loop.outer.index }}-{{ loop.index }}'),
      },
      edges:
        'start -> outer\nouter -loop_body-> inner\ninner -loop_body-> pause\npause -> count\npause -loop_return-> inner\ninner -loop_return-> outer',
    },
  }),
  'a sub-workflow': (pause) => ({
    main: {
      nodes: { start: ['trigger_manual', {}], call: ['workflow', { workflow: 'sub', payload: { n: 5 } }] },
      edges: 'start -> call',
    },
    sub: around(pause, 'trigger_workflow'),
  }),
  'two branches at once': (pause) => ({
    main: {
      nodes: {
        start: ['trigger_manual', {}],
        pause,
        count: counting('count'),
        other: asking,
        both: ['merge', { mode: 'keyed' }],
      },
      edges: 'start -> pause\nstart -> other\npause -> both\npause -> count\nother -> both',
    },
  }),
};

function around(pause: Sketch['nodes'][string], trigger = 'trigger_manual'): Sketch {
  return {
    nodes: {
      start: [trigger, {}],
      before: counting('count'),
      pause,
      list: ['state', { operation: 'append', key: 'list', value: '{{ before.value }}', scope: 'tests' }],
      after: ['template', { template: 'done' }],
    },
    edges: 'start -> before\nbefore -> pause\npause -> list\nlist -> after',
  };
}

const child: Sketch = {
  nodes: { start: ['trigger_workflow', {}], double: ['transform', { expression: 'trigger.payload.n * 2' }] },
  edges: 'start -> double',
};

interface Outcome {
  readonly status: string;
  readonly output: string;
  /** The facts of the journals, without times and execution ids. */
  readonly journals: readonly string[];
  /** The values of state at the end: each committed step must have changed its value once. */
  readonly state: readonly string[];
  readonly calls: number;
}

async function outcomeOf(sketches: Readonly<Record<string, Sketch>>, kill: KillPoint | null): Promise<Outcome> {
  const world = await PauseWorld.open();
  try {
    await world.addWorkflow('child', child);
    const [main] = await Promise.all(Object.entries(sketches).map(([slug, sketch]) => world.addWorkflow(slug, sketch)));
    if (main === undefined) throw new Error('there is no workflow to start');
    world.startRunner(kill);
    const id = await world.start(main, { n: 3 });
    const { status, finalOutput } = await world.finish(id);
    const output = JSON.stringify(finalOutput).replaceAll(executionIds, 'id');
    const ids = await world.executionIds();
    const details = await Promise.all(ids.map((each) => world.detail(each)));
    for (const { status: each } of details) expect(each).toBe('completed');
    expect(await world.store.executions.openCount()).toBe(0);
    expect(await world.store.waits.nextDue()).toBeNull();
    // Executions of the same millisecond have no defined order, nor do steps that continue at the same time.
    const journals = details
      .map(({ journal }) =>
        journal
          .map(({ fact }) => plain(fact))
          .sort()
          .join('\n'),
      )
      .sort();
    const values = await Promise.all(stateKeys.map((key) => world.value(main, { scope: 'tests', key })));
    const state = values.flatMap((value, index) =>
      value === null ? [] : [`${stateKeys[index]}: ${JSON.stringify(value)}`],
    );
    return { status, output, journals, state, calls: world.calls };
  } finally {
    await world.close();
  }
}

/** A fact without the parts that may differ between runs. */
function plain(fact: JournalEntry['fact']): string {
  const words = JSON.stringify(fact, (key, value: unknown) => (untimely.has(key) ? undefined : value));
  return words.replaceAll(executionIds, 'id').replaceAll(/"http:[^"]*"/g, '"url"');
}

const executionIds = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const untimely: ReadonlySet<string> = new Set(['at', 'durationMs', 'until', 'tokenHash', 'retryAt', 'startedAt']);

const cases = Object.entries(places).flatMap(([place, build]) =>
  Object.entries(pauses).map(([name, pause]) => [name, place, build(pause)] as const),
);

test.each(cases)('%s in %s has the same result, wherever the runner is killed', async (_name, _place, sketches) => {
  const undisturbed = await outcomeOf(sketches, null);
  expect(undisturbed.status).toBe('completed');
  expect(undisturbed.state).not.toEqual([]);
  const { calls: _calls, ...expected } = undisturbed;
  for (let call = 1; call <= undisturbed.calls; call += stride) {
    for (const moment of ['before', 'after'] as const) {
      const { calls: _again, ...outcome } = await outcomeOf(sketches, { call, moment });
      expect(outcome, `killed ${moment} write ${call}`).toEqual(expected);
    }
  }
});
