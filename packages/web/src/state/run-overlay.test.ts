import { describe, expect, test } from 'vitest';
import { RunOverlay } from './run-overlay.ts';

const event = (type: string, data: Record<string, unknown>) => ({
  type,
  data: { execution_id: 'a', ...data },
  channel: 'workflow:orders',
  seq: 1,
  timestamp: 0,
});

function setUp() {
  const frames: (() => void)[] = [];
  const overlay = new RunOverlay((fn) => void frames.push(fn));
  return { overlay, frames };
}

describe('the overlay of an execution', () => {
  test('watches an execution from its start to its end', () => {
    const { overlay } = setUp();
    overlay.receive(event('execution_started', { trigger_node_id: 'hook' }));
    overlay.receive(event('node_status', { node_id: 'hook', status: 'success', duration_ms: 2 }));
    overlay.receive(event('execution_completed', { output: null }));
    expect(overlay.run).toEqual({ id: 'a', status: 'completed', error: null });
    expect(overlay.node('hook')).toMatchObject({ status: 'success', durationMs: 2 });
    expect(overlay.node('other')).toBeUndefined();
  });

  test('ignores the events of other executions while one is in progress', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(event('execution_started', { execution_id: 'b' }));
    overlay.receive(event('node_status', { execution_id: 'b', node_id: 'hook', status: 'failed' }));
    expect(overlay.run?.id).toBe('a');
    expect(overlay.node('hook')).toBeUndefined();
  });

  test('counts the iterations of a loop that succeeded', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    for (const status of ['running', 'success', 'running', 'success', 'running']) {
      overlay.receive(event('node_status', { node_id: 'body', status }));
    }
    expect(overlay.node('body')).toMatchObject({ status: 'running', succeeded: 2 });
  });

  test('publishes many events once per frame', () => {
    const { overlay, frames } = setUp();
    let published = 0;
    overlay.subscribe(() => {
      published += 1;
    });
    overlay.watch('a');
    for (let i = 0; i < 100; i += 1) overlay.receive(event('node_status', { node_id: `n${i}`, status: 'running' }));
    expect(frames.length).toBe(1);
    frames[0]?.();
    expect(published).toBe(1);
    overlay.receive(event('node_status', { node_id: 'n1', status: 'success' }));
    expect(frames.length).toBe(2);
  });

  test('adds what is stored, and keeps what events have reported', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(event('node_status', { node_id: 'two', status: 'running' }));
    const log = { duration_ms: 3, error: null, status: 'success' };
    const logs = [
      { ...log, node_id: 'one' },
      { ...log, node_id: 'two' },
    ];
    const stored = { execution_id: 'a', status: 'completed', error_message: null, logs };
    overlay.fill(stored as unknown as Parameters<RunOverlay['fill']>[0]);
    expect(overlay.node('one')).toMatchObject({ status: 'success', durationMs: 3 });
    expect(overlay.node('two')).toMatchObject({ status: 'running' });
    expect(overlay.run?.status).toBe('completed');
  });

  test('keeps the state of a node that an event does not concern, so that its card is not drawn again', () => {
    const { overlay } = setUp();
    overlay.watch('a');
    overlay.receive(event('node_status', { node_id: 'one', status: 'success' }));
    const before = overlay.node('one');
    overlay.receive(event('node_status', { node_id: 'two', status: 'success' }));
    expect(overlay.node('one')).toBe(before);
  });
});
