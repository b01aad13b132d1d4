import { expect, it } from 'vitest';
import type { NodeRun, WatchedRun } from '../state/run-overlay.ts';
import { RunProgress } from './run-progress.ts';

const nodes = ['Fetch', 'Switch', 'Reply'].map((label) => ({ id: label.toLowerCase(), label }));
const step = (status: string, more: object = {}): NodeRun =>
  ({ status, durationMs: null, error: null, ...more }) as unknown as NodeRun;

function said(progress: RunProgress, run: Partial<WatchedRun>, steps: Record<string, NodeRun> = {}) {
  const watched: WatchedRun = {
    id: '0000-000042',
    status: 'running',
    error: null,
    errorNodeId: null,
    version: null,
    toNode: null,
    ...run,
  };
  return progress.news({ run: watched, node: (id) => steps[id] }, nodes);
}

it('says which node ended, once, and how many of all', () => {
  const progress = new RunProgress();
  const fetched = step('success', { durationMs: 1200 });
  expect(said(progress, {}, { fetch: step('running') })).toBeNull();
  expect(said(progress, {}, { fetch: fetched })).toEqual({
    text: 'Run 000042: Fetch succeeded 1.2 s (1 of 3)',
    urgency: 'polite',
  });
  expect(said(progress, {}, { fetch: fetched })).toBeNull();
  expect(said(progress, {}, { fetch: fetched, switch: step('success'), reply: step('skipped') })?.text).toBe(
    'Run 000042: Reply was skipped (3 of 3)',
  );
  expect(said(progress, { status: 'completed' })?.text).toBe('Run 000042 succeeded');
  expect(said(progress, { status: 'completed' })).toBeNull();
});

it('interrupts for a failure, and begins again with the next run', () => {
  const progress = new RunProgress();
  const failed = { fetch: step('failed', { error: 'No route to host' }), switch: step('success') };
  expect(said(progress, {}, failed)).toEqual({
    text: 'Run 000042: Fetch failed (2 of 3): No route to host',
    urgency: 'assertive',
  });
  expect(said(progress, { status: 'failed', error: 'No route to host', errorNodeId: 'fetch' })).toEqual({
    text: 'Run 000042 failed: Fetch: No route to host',
    urgency: 'assertive',
  });
  expect(said(progress, { id: '0000-000043' }, { fetch: step('success') })?.text).toContain('Run 000043: Fetch');
});
