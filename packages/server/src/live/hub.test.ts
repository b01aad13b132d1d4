import type { LiveEvent, Node, Published, Schedule, Workflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { blankNode } from '../../test/support/blank-graph.ts';
import { blankWorkflow } from '../../test/support/blank-workflow.ts';
import type { Position } from './history.ts';
import { Hub, type Replay, type Subscriber } from './hub.ts';

const startedAt = 1_800_000_000_000;
const executionId = '01900000-0000-7000-8000-000000000001';
const deleted: LiveEvent = { type: 'edge_deleted', id: 5 };
const started: LiveEvent = { type: 'execution_started', executionId, triggerNodeId: 'hook' };

interface Received {
  readonly type: string;
  readonly channel: string;
  readonly seq: number;
  readonly timestamp: number;
  readonly data: Record<string, unknown>;
}

class Listener implements Subscriber {
  readonly buffers: Buffer[] = [];
  readonly revocations: string[] = [];
  deliver(message: Buffer): void {
    this.buffers.push(message);
  }
  revoked(channel: string, detail: string): void {
    this.revocations.push(`${channel}: ${detail}`);
  }
  get received(): Received[] {
    return this.buffers.map((buffer) => JSON.parse(buffer.toString()));
  }
}

function asPublic(isPublic: boolean): Workflow {
  const stored = {
    id: 1,
    ownerId: 1,
    nodeCount: 0,
    edgeCount: 0,
    version: 1,
    publishedVersion: null,
    createdAt: 0,
    updatedAt: 0,
  };
  return { ...blankWorkflow, ...stored, name: 'a', slug: 'a', isPublic };
}

const clockAt = (now: () => number) => ({ now, monotonic: now });

function newHub(): Hub {
  return new Hub(clockAt(() => startedAt));
}

function of(workflowId: number, ...events: LiveEvent[]): Published[] {
  return events.map((event) => ({ workflowId, event }));
}

describe('an event', () => {
  it('reaches the subscribers of its workflow in its envelope', () => {
    const hub = newHub();
    const [listener, other] = [new Listener(), new Listener()];
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.subscribe(other, 'workflow:b', { kind: 'workflow', workflowId: 2, access: 'member' });
    hub.publish(of(1, deleted));
    expect(listener.received).toEqual([
      {
        type: 'edge_deleted',
        channel: 'workflow:a',
        timestamp: 1_800_000_000,
        seq: startedAt * 1000 + 1,
        data: { id: 5 },
      },
    ]);
    expect(other.received).toEqual([]);
  });

  it('has a number that grows within its workflow and is higher than any of an earlier process', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.publish(of(1, deleted, deleted));
    hub.unsubscribe(listener, 'workflow:a');
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.publish(of(1, deleted));
    const first = startedAt * 1000 + 1;
    expect(listener.received.map(({ seq }) => seq)).toEqual([first, first + 1, first + 2]);
    expect(Number.isSafeInteger(first)).toBe(true);
  });

  it('of an execution reaches the channels of the execution and of its workflow', () => {
    const hub = newHub();
    const [ofRun, ofWorkflow] = [new Listener(), new Listener()];
    hub.subscribe(ofRun, `execution:${executionId}`, {
      kind: 'execution',
      workflowId: 1,
      executionId,
      access: 'member',
    });
    hub.subscribe(ofWorkflow, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.publish(of(1, started, deleted, { ...started, executionId: 'another' }));
    expect(ofRun.received.map(({ type, channel }) => [type, channel])).toEqual([
      ['execution_started', `execution:${executionId}`],
    ]);
    expect(ofWorkflow.received).toHaveLength(3);
  });
});

describe('a subscriber', () => {
  it('receives events under the name it chose; an event is serialised once per name', () => {
    const hub = newHub();
    const [first, second, renamed] = [new Listener(), new Listener(), new Listener()];
    const topic = { kind: 'workflow', workflowId: 1, access: 'member' } as const;
    hub.subscribe(first, 'workflow:old', topic);
    hub.subscribe(second, 'workflow:old', topic);
    hub.subscribe(renamed, 'workflow:new', topic);
    hub.publish(of(1, deleted));
    expect(first.buffers[0]).toBe(second.buffers[0]);
    expect(renamed.received[0]).toMatchObject({ channel: 'workflow:new', seq: first.received[0]?.seq });
  });

  it('has its name resolved again when it subscribes again, because it may name another workflow by then', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 2, access: 'member' });
    hub.publish([...of(1, deleted), ...of(2, { type: 'node_deleted', nodeId: 'n' })]);
    expect(listener.received.map(({ type }) => type)).toEqual(['node_deleted']);
  });

  it('receives nothing after it left', () => {
    const hub = newHub();
    const [left, gone, stays] = [new Listener(), new Listener(), new Listener()];
    for (const listener of [left, gone, stays])
      hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.unsubscribe(left, 'workflow:a');
    hub.drop(gone);
    hub.publish(of(1, deleted));
    expect([left, gone, stays].map((listener) => listener.received.length)).toEqual([0, 0, 1]);
    expect(hub.topicsOf(gone).size).toBe(0);
  });

  it('who is not a member loses the channel before the event that the workflow is no longer public', () => {
    const hub = newHub();
    const [publicViewer, member] = [new Listener(), new Listener()];
    hub.subscribe(publicViewer, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'public' });
    hub.subscribe(member, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    hub.publish(of(1, { type: 'workflow_updated', workflow: asPublic(true) }));
    hub.publish(of(1, { type: 'workflow_updated', workflow: asPublic(false) }, deleted));
    expect(publicViewer.revocations).toEqual(['workflow:a: Workflow not found.']);
    expect([publicViewer, member].map(({ received }) => received.length)).toEqual([1, 3]);
  });

  it('who is not a member receives events of the graph and none of runs', () => {
    const hub = newHub();
    const publicViewer = new Listener();
    const topic = { kind: 'workflow', workflowId: 1, access: 'public' } as const;
    const begin = hub.subscribe(publicViewer, 'workflow:a', topic);
    hub.publish(of(1, started, deleted));
    expect(publicViewer.received.map(({ type }) => type)).toEqual(['edge_deleted']);
    expect(hub.replay('workflow:a', topic, begin).messages).toHaveLength(1);
  });
});

describe('a schedule', () => {
  const schedule: Schedule = {
    id: 7,
    state: 'active',
    nextFireAt: startedAt,
    lastFireAt: startedAt - 1,
    lastExecutionId: executionId,
    skipped: 3,
    error: 'A secret is in the payload.',
    steeredAt: null,
  };
  const node: Node = { ...blankNode('tick', 'trigger_schedule'), id: 7, updatedAt: 0 };
  const ran = { status: 'active', last_run_at: expect.any(String), skipped_runs: 3, last_error: schedule.error };
  const comes = { status: 'active', last_run_at: null, last_execution_id: null, skipped_runs: 0, last_error: null };

  it('shows its runs to members, and to public viewers only its next time, also in a replay', () => {
    const hub = newHub();
    const [publicViewer, member] = [new Listener(), new Listener()];
    const asPublicViewer = { kind: 'workflow', workflowId: 1, access: 'public' } as const;
    const begin = hub.subscribe(publicViewer, 'workflow:a', asPublicViewer);
    hub.subscribe(member, 'workflow:a', { ...asPublicViewer, access: 'member' });
    hub.publish(of(1, { type: 'node_updated', node, schedule }));
    expect(member.received[0]?.data.schedule_job).toMatchObject(ran);
    expect(publicViewer.received[0]?.data.schedule_job).toEqual({
      ...comes,
      next_run_at: '2027-01-15T08:00:00.000000',
    });
    expect(publicViewer.received[0]).toMatchObject({ seq: member.received[0]?.seq, data: { node_id: 'tick' } });
    expect(hub.replay('workflow:a', asPublicViewer, begin).messages.map(String)).toEqual(
      publicViewer.buffers.map(String),
    );
  });
});

const topic = { kind: 'workflow', workflowId: 1, access: 'member' } as const;
const named = (replay: Replay): number[] =>
  replay.messages.map((message) => (JSON.parse(message.toString()) as Received).data.id as number);

/** The position of an event, for a client that stores no epoch. */
const at = (event: Received | undefined) => ({ seq: event?.seq ?? 0, epoch: null });
const plus = ({ seq, epoch }: Position, more: number): Position => ({ seq: seq + more, epoch });

function numbered(...ids: number[]): Published[] {
  return of(1, ...ids.map((id) => ({ type: 'edge_deleted', id }) as const));
}

describe('a replay', () => {
  it('contains the events after the last received one, unchanged', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', topic);
    hub.publish(numbered(1, 2, 3));
    const [first] = listener.received;
    const { complete, messages } = hub.replay('workflow:a', topic, at(first));
    expect(complete).toBe(true);
    expect(messages.map(String)).toEqual(listener.buffers.slice(1).map(String));
    expect(hub.replay('workflow:a', topic, at(listener.received[2]))).toEqual({ complete: true, messages: [] });
  });

  it('contains events from times without subscribers, from the first subscription on', () => {
    const hub = newHub();
    hub.publish(numbered(1));
    const listener = new Listener();
    const begin = hub.subscribe(listener, 'workflow:a', topic);
    hub.drop(listener);
    hub.publish(numbered(2, 3));
    const replay = hub.replay('workflow:renamed', topic, begin);
    expect([replay.complete, named(replay)]).toEqual([true, [2, 3]]);
    expect(replay.messages.join()).toContain('"channel":"workflow:renamed"');
  });

  it('contains the events of one run for its channel', () => {
    const hub = newHub();
    const ofRun = { kind: 'execution', workflowId: 1, executionId, access: 'member' } as const;
    const begin = hub.subscribe(new Listener(), `execution:${executionId}`, ofRun);
    hub.publish(of(1, deleted, started, { ...started, executionId: 'another' }));
    expect(hub.replay(`execution:${executionId}`, ofRun, begin).messages).toHaveLength(1);
  });

  it('is incomplete if the number is older or newer than the stored events', () => {
    const hub = newHub();
    const begin = hub.subscribe(new Listener(), 'workflow:a', topic);
    hub.publish(numbered(1));
    for (const seq of [0, begin.seq - 1, begin.seq + 2]) {
      for (const epoch of [begin.epoch, null]) {
        expect(hub.replay('workflow:a', topic, { seq, epoch }).complete).toBe(false);
      }
    }
    expect(named(hub.replay('workflow:a', topic, { seq: 0, epoch: null }))).toEqual([1]);
  });
});

describe('a replay after a position of another sequence is incomplete and empty', () => {
  it.each([
    ['of an earlier process', () => newHub(), 1],
    ['of another workflow', (hub: Hub) => hub, 2],
  ])('%s, even if the numbers overlap', (_name, hubOf, workflowId) => {
    const before = newHub();
    const known = before.subscribe(new Listener(), 'workflow:a', topic);
    const hub = hubOf(before);
    const other = { ...topic, workflowId };
    const begin = hub.subscribe(new Listener(), 'workflow:a', other);
    hub.publish(of(workflowId, deleted, deleted));
    const last = plus(known, begin.seq + 1 - known.seq);
    expect(hub.replay('workflow:a', other, { ...last, epoch: begin.epoch }).complete).toBe(true);
    expect(hub.replay('workflow:a', other, last)).toEqual({ complete: false, messages: [] });
  });
});

describe('the history behind a replay', () => {
  it('stores the last 1,000 events', () => {
    const hub = newHub();
    const begin = hub.subscribe(new Listener(), 'workflow:a', topic);
    hub.publish(numbered(...Array(1001).keys()));
    const late = hub.replay('workflow:a', topic, begin);
    expect([late.complete, late.messages.length, named(late)[0]]).toEqual([false, 1000, 1]);
    expect(hub.replay('workflow:a', topic, plus(begin, 1)).complete).toBe(true);
  });

  it('stores no more bytes than a reader’s buffer holds', () => {
    const hub = newHub();
    const begin = hub.subscribe(new Listener(), 'workflow:a', topic);
    for (let index = 0; index < 100; index++) hub.publish(of(1, { type: 'node_deleted', nodeId: 'ä'.repeat(30_000) }));
    const { complete, messages } = hub.replay('workflow:a', topic, begin);
    expect(complete).toBe(false);
    expect(messages.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1 << 20);
    expect(messages.length).toBeGreaterThan(5);
  });

  it('is deleted some minutes after the last subscriber left, and later replays are incomplete', () => {
    let now = startedAt;
    const hub = new Hub(clockAt(() => now));
    const listener = new Listener();
    const begin = hub.subscribe(listener, 'workflow:a', topic);
    hub.drop(listener);
    now += 9 * 60_000;
    hub.publish(numbered(1));
    expect(hub.replay('workflow:a', topic, begin).complete).toBe(true);
    now += 2 * 60_000;
    hub.subscribe(listener, 'workflow:other', { ...topic, workflowId: 2 });
    const again = hub.subscribe(listener, 'workflow:a', topic);
    expect(again.seq).toBeGreaterThan(begin.seq + 1);
    expect(hub.replay('workflow:a', topic, plus(begin, 1))).toEqual({ complete: false, messages: [] });
  });

  // Requirement engine.durability.time.class
  it('is not deleted because the clock is set forward', () => {
    let now = startedAt;
    const hub = new Hub({ now: () => now, monotonic: () => 0 });
    const listener = new Listener();
    const begin = hub.subscribe(listener, 'workflow:a', topic);
    hub.drop(listener);
    now += 24 * 3_600_000;
    hub.publish(numbered(1));
    expect(hub.replay('workflow:a', topic, begin).complete).toBe(true);
  });

  it('of thousands of workflows stays within its limit: those without subscribers are deleted first', () => {
    const hub = newHub();
    const listener = new Listener();
    const begin = Array.from({ length: 150 }, (_, workflowId) => {
      const seq = hub.subscribe(listener, 'workflow:a', { ...topic, workflowId });
      const event = { type: 'node_deleted', nodeId: 'n'.repeat(50_000) } as const;
      for (let index = 0; index < 10; index++) hub.publish([{ workflowId, event }]);
      return seq;
    });
    const replays = begin.map((seq, workflowId) => hub.replay('workflow:a', { ...topic, workflowId }, seq));
    const kept = replays.filter(({ complete }) => complete).length;
    // 150 times half a megabyte is more than 64 MiB; feeds with subscribers are not deleted.
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThan(140);
    expect(replays.at(-1)?.complete).toBe(true);
  });
});

describe('the output of a run', () => {
  it('is omitted if it is larger than an event may be', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    const status = { type: 'node_status', executionId, nodeId: 'n', frame: '', attempt: 1, status: 'success' } as const;
    hub.publish(of(1, { ...status, output: { text: 'small' } }, { ...status, output: { text: 'x'.repeat(70_000) } }));
    expect(listener.received.map(({ data }) => data)).toEqual([
      { execution_id: executionId, node_id: 'n', frame: '', attempt: 1, status: 'success', output: { text: 'small' } },
      { execution_id: executionId, node_id: 'n', frame: '', attempt: 1, status: 'success', output_omitted: true },
    ]);
  });

  it('omits the response of a respond node, which is for the waiting request', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
    const respond = { status: 200, headers: {}, body: 'secret' };
    hub.publish(
      of(1, { type: 'node_status', executionId, nodeId: 'n', frame: '', attempt: 1, status: 'success', respond }),
    );
    expect(listener.buffers.join()).not.toContain('secret');
  });
});

describe('an ephemeral event', () => {
  const run = { workflowId: 1, executionId };
  const token: LiveEvent = { type: 'token', executionId, nodeId: 'ai', frame: '', attempt: 1, offset: 0, text: 'Hel' };
  const member = { kind: 'workflow', workflowId: 1, access: 'member' } as const;

  it('is sent to current subscribers and not stored', () => {
    const hub = newHub();
    const listener = new Listener();
    const begin = hub.subscribe(listener, 'workflow:a', member);
    hub.publishEphemeral({ workflowId: 1, event: token });
    hub.publish(of(1, started));
    expect(listener.received.map(({ type, seq: number }) => [type, number])).toEqual([
      ['token', begin.seq + 1],
      ['execution_started', begin.seq + 2],
    ]);
    const { complete, messages } = hub.replay('workflow:a', member, begin);
    expect([complete, messages.length]).toEqual([true, 1]);
  });

  it('is sent to members who subscribed to the workflow or the run', () => {
    const hub = newHub();
    const listener = new Listener();
    expect(hub.runHasSubscribers(run)).toBe(false);
    hub.subscribe(listener, 'workflow:a', { ...member, access: 'public' });
    expect(hub.runHasSubscribers(run)).toBe(false);
    hub.subscribe(listener, 'workflow:a', member);
    expect(hub.runHasSubscribers(run)).toBe(true);
    hub.unsubscribe(listener, 'workflow:a');
    expect(hub.runHasSubscribers(run)).toBe(false);
    hub.subscribe(listener, 'execution:x', { kind: 'execution', access: 'member', ...run });
    expect([hub.runHasSubscribers(run), hub.runHasSubscribers({ ...run, executionId: 'other' })]).toEqual([
      true,
      false,
    ]);
  });
});
