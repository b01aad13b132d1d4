import { describe, expect, test } from 'vitest';
import { RunOverlay } from './run-overlay.ts';

const event = (type: string, data: Record<string, unknown>) => ({
  type,
  data: { execution_id: 'a', ...data },
  channel: 'workflow:orders',
  seq: 1,
  timestamp: 100,
});
const status = (node_id: string, state: string, data: Record<string, unknown> = {}) =>
  event('node_status', { node_id, frame: '', attempt: 1, status: state, ...data });
const token = (text: string, offset: number, attempt = 1) =>
  event('token', { node_id: 'ask', frame: '', attempt, offset, text });

function setUp() {
  const frames: (() => void)[] = [];
  const overlay = new RunOverlay((fn) => void frames.push(fn));
  return { overlay, frames };
}

type Detail = Parameters<RunOverlay['fill']>[0];
const log = (node_id: string, fields: object = {}) => {
  return { node_id, frame: '', attempt: 1, status: 'success', duration_ms: 3, error: null, metadata: {}, ...fields };
};
const detail = (logs: object[], state = 'running') =>
  ({ execution_id: 'a', status: state, error_message: null, error_node_id: null, logs }) as unknown as Detail;

describe('the overlay of an execution', () => {
  test('watches an execution from its start to its end', () => {
    const { overlay } = setUp();
    overlay.receive(event('execution_started', { trigger_node_id: 'hook' }));
    overlay.receive(status('hook', 'success', { duration_ms: 2 }));
    overlay.receive(event('execution_failed', { error: 'It failed.', node_id: 'next' }));
    expect(overlay.run).toMatchObject({ id: 'a', status: 'failed', error: 'It failed.', errorNodeId: 'next' });
    expect(overlay.node('hook')).toMatchObject({ status: 'success', durationMs: 2 });
    expect(overlay.node('other')).toBeUndefined();
  });

  test('ignores the events of other executions while one is in progress', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(event('execution_started', { execution_id: 'b' }));
    overlay.receive(status('hook', 'failed', { execution_id: 'b' }));
    expect(overlay.run?.id).toBe('a');
    expect(overlay.node('hook')).toBeUndefined();
  });

  test('publishes many events once per frame', () => {
    const { overlay, frames } = setUp();
    let published = 0;
    overlay.subscribe(() => {
      published += 1;
    });
    overlay.watch('a');
    for (let i = 0; i < 100; i += 1) overlay.receive(status(`n${i}`, 'running'));
    expect(frames.length).toBe(1);
    frames[0]?.();
    expect(published).toBe(1);
    overlay.receive(status('n1', 'success'));
    expect(frames.length).toBe(2);
  });

  test('keeps the state of a node that an event does not concern, so that its card is not drawn again', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('one', 'success'));
    const before = overlay.node('one');
    overlay.receive(status('two', 'success'));
    expect(overlay.node('one')).toBe(before);
  });

  test('counts a pinned output that an event reports, also if its log is read afterwards', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('one', 'success', { pinned: true }));
    overlay.fill(detail([log('one', { metadata: { pinned: true } })], 'completed'));
    expect(overlay.pins).toBe(1);
  });

  test('has the reasons of outputs that are out of date, until another execution is watched', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.markStale(new Map([['one', 'Its settings changed since this output.']]));
    expect([overlay.stale('one'), overlay.stale('two')]).toEqual([
      'Its settings changed since this output.',
      undefined,
    ]);
    overlay.watch('b');
    expect(overlay.stale('one')).toBeUndefined();
  });

  test('knows the items, the tokens and the cost of an output', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('list', 'success', { output: { result: [1, 2, 3] } }));
    overlay.receive(status('ask', 'success', { output: { output: 'x', usage: { total_tokens: 42, cost_usd: 0.1 } } }));
    expect(overlay.node('list')?.items).toBe(3);
    expect(overlay.node('ask')).toMatchObject({ tokens: 42, costUsd: 0.1, items: null });
  });
});

describe('after a reload or lost events', () => {
  test('the stored logs and the events give the same state in any order', () => {
    const events = [
      status('one', 'running'),
      status('one', 'success', { duration_ms: 3 }),
      status('two', 'running'),
      status('two', 'retrying', { duration_ms: 3 }),
      status('two', 'running', { attempt: 2 }),
    ];
    const stored = detail([log('one'), log('two', { status: 'failed', error: 'busy' })]);
    const statesAfter = (count: number): ReadonlySet<string> => {
      const states = Array.from({ length: count + 1 }, (_, at) => {
        const { overlay } = setUp();
        overlay.watch('a');
        for (const before of events.slice(0, at)) overlay.receive(before);
        overlay.fill(stored);
        for (const after of events.slice(at, count)) overlay.receive(after);
        return [overlay.node('one')?.status, overlay.node('two')?.status, overlay.node('two')?.attempt].join(' ');
      });
      return new Set(states);
    };
    expect(statesAfter(5)).toEqual(new Set(['success running 2']));
    // While the next attempt waits, the log of the one before says that it failed.
    expect(statesAfter(4)).toEqual(new Set(['success retrying 1']));
  });

  test('an attempt that was to be retried has failed when the execution has ended', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('one', 'retrying'));
    overlay.fill(detail([log('one', { status: 'failed' })], 'cancelled'));
    expect(overlay.node('one')?.status).toBe('failed');
  });

  test('a log ends a step whose last event was lost', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('one', 'running'));
    overlay.fill(detail([log('one', { metadata: { pinned: true } })], 'completed'));
    expect(overlay.node('one')).toMatchObject({ status: 'success', isPinned: true });
    expect(overlay.pins).toBe(1);
    expect(overlay.run?.status).toBe('completed');
  });
});

describe('the calls of an agent', () => {
  const call = (index: number, tool?: string) => ({ frame: `ai[${index}]`, call: { of: 'ai', index, tool } });

  test('are counted on its card, and are no iterations', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('ai', 'running'));
    overlay.receive(status('gpt', 'success', call(0)));
    overlay.receive(status('calc', 'running', call(1, 'calc')));
    expect(overlay.node('ai')).toMatchObject({ status: 'running', calls: 2, done: null });
    expect(overlay.iterations).toBeNull();
    expect(overlay.node('calc')).toMatchObject({ status: 'running', calls: null });
  });

  test('show that the agent waits, also after a reload', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    const asked = { frame: 'ai[1]', status: 'waiting', metadata: { agent: 'ai', tool: 'calc' } };
    overlay.fill(
      detail([log('gpt', { frame: 'ai[0]', metadata: { agent: 'ai' } }), log('calc', asked)], 'interrupted'),
    );
    expect(overlay.node('ai')).toMatchObject({ status: 'waiting', calls: 2 });
  });

  test('of an agent in a loop belong to the iteration', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    for (const index of [0, 1]) {
      const frame = `each[${index}]/ai[0]`;
      overlay.receive(status('gpt', 'success', { frame, call: { of: 'ai', index: 0 } }));
    }
    expect(overlay.iterations).toMatchObject({ loop: 'each', count: 2 });
    overlay.showIteration(1);
    expect(overlay.node('ai')?.calls).toBe(1);
  });
});

describe('the iterations of a loop', () => {
  function looped() {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('each', 'running', { total: 5 }));
    for (const [index, state] of ['success', 'success', 'running'].entries()) {
      overlay.receive(status('first', 'success', { frame: `each[${index}]` }));
      overlay.receive(status('last', state, { frame: `each[${index}]` }));
    }
    return overlay;
  }

  test('are counted when their last node has ended', () => {
    const overlay = looped();
    expect(overlay.node('each')).toMatchObject({ status: 'running', done: 2, total: 5 });
    expect(overlay.node('last')).toMatchObject({ status: 'running', succeeded: 2, done: null });
    overlay.receive(status('last', 'success', { frame: 'each[2]' }));
    expect(overlay.node('each')?.done).toBe(3);
  });

  test('are shown one at a time', () => {
    const overlay = looped();
    overlay.showIteration(1);
    expect(overlay.iterations).toEqual({ loop: 'each', count: 3, shown: 1 });
    expect(overlay.node('last')).toMatchObject({ status: 'success', succeeded: 1 });
    overlay.showIteration(2);
    expect(overlay.node('last')?.status).toBe('running');
    overlay.showIteration(4);
    expect(overlay.node('last')).toBeUndefined();
    expect(overlay.node('each')?.done).toBe(2);
  });
});

describe('the text of a model', () => {
  test('is shown with its last characters while it is written', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(status('ask', 'running'));
    overlay.receive(token('Hello ', 0));
    overlay.receive(token('world', 6));
    expect(overlay.node('ask')?.text).toBe('Hello world');
    overlay.receive(token('x'.repeat(200), 11));
    expect(overlay.node('ask')?.text).toBe('x'.repeat(120));
    overlay.receive(status('ask', 'success'));
    expect(overlay.node('ask')?.text).toBe('');
  });

  test('begins again after a gap, and with another attempt', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(token('Hello ', 0));
    overlay.receive(token('later', 50));
    expect(overlay.node('ask')?.text).toBe('…later');
    overlay.receive(token('Again', 0, 2));
    expect(overlay.node('ask')?.text).toBe('Again');
  });
});
