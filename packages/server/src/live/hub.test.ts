import type { LiveEvent, Published, User, Workflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { Hub, type Subscriber } from './hub.ts';

const startedAt = 1_800_000_000_000;
const executionId = '01900000-0000-7000-8000-000000000001';
const deleted: LiveEvent = { type: 'edge_deleted', id: 5 };
const started: LiveEvent = { type: 'execution_started', executionId, triggerNodeId: 'hook' };

interface Heard {
  readonly type: string;
  readonly channel: string;
  readonly seq: number;
  readonly timestamp: number;
  readonly data: Record<string, unknown>;
}

class Listener implements Subscriber {
  readonly user: User = { id: 1, username: 'member', isAdmin: false, createdAt: startedAt };
  readonly buffers: Buffer[] = [];
  readonly losses: string[] = [];
  deliver(message: Buffer): void {
    this.buffers.push(message);
  }
  revoked(channel: string, detail: string): void {
    this.losses.push(`${channel}: ${detail}`);
  }
  get heard(): Heard[] {
    return this.buffers.map((buffer) => JSON.parse(buffer.toString()));
  }
}

function newHub(mayRead: (workflow: Workflow) => boolean = () => true): Hub {
  return new Hub({ now: () => startedAt, mayRead: (_user, workflow) => mayRead(workflow) });
}

function of(workflowId: number, ...events: LiveEvent[]): Published[] {
  return events.map((event) => ({ workflowId, event }));
}

describe('an event', () => {
  it('brings an event to those who listen to its workflow, in its envelope', () => {
    const hub = newHub();
    const [listener, other] = [new Listener(), new Listener()];
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.subscribe(other, 'workflow:b', { kind: 'workflow', workflowId: 2 });
    hub.publish(of(1, deleted));
    expect(listener.heard).toEqual([
      {
        type: 'edge_deleted',
        channel: 'workflow:a',
        timestamp: 1_800_000_000,
        seq: startedAt * 1000 + 1,
        data: { id: 5 },
      },
    ]);
    expect(other.heard).toEqual([]);
  });

  it('numbers the events of a workflow in order, and on where no earlier process came to', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.publish(of(1, deleted, deleted));
    hub.unsubscribe(listener, 'workflow:a');
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.publish(of(1, deleted));
    const first = startedAt * 1000 + 1;
    expect(listener.heard.map(({ seq }) => seq)).toEqual([first, first + 1, first + 2]);
    expect(Number.isSafeInteger(first)).toBe(true);
  });

  it('brings the events of one execution to its channel, and to its workflow’s', () => {
    const hub = newHub();
    const [ofRun, ofWorkflow] = [new Listener(), new Listener()];
    hub.subscribe(ofRun, `execution:${executionId}`, { kind: 'execution', workflowId: 1, executionId });
    hub.subscribe(ofWorkflow, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.publish(of(1, started, deleted, { ...started, executionId: 'another' }));
    expect(ofRun.heard.map(({ type, channel }) => [type, channel])).toEqual([
      ['execution_started', `execution:${executionId}`],
    ]);
    expect(ofWorkflow.heard).toHaveLength(3);
  });
});

describe('a subscriber', () => {
  it('hears under the name it chose; an event is written once for each name', () => {
    const hub = newHub();
    const [first, second, renamed] = [new Listener(), new Listener(), new Listener()];
    const topic = { kind: 'workflow', workflowId: 1 } as const;
    hub.subscribe(first, 'workflow:old', topic);
    hub.subscribe(second, 'workflow:old', topic);
    hub.subscribe(renamed, 'workflow:new', topic);
    hub.publish(of(1, deleted));
    expect(first.buffers[0]).toBe(second.buffers[0]);
    expect(renamed.heard[0]).toMatchObject({ channel: 'workflow:new', seq: first.heard[0]?.seq });
  });

  it('has a name bound anew when it subscribes again: it may have become another workflow’s', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 2 });
    hub.publish([...of(1, deleted), ...of(2, { type: 'node_deleted', nodeId: 'n' })]);
    expect(listener.heard.map(({ type }) => type)).toEqual(['node_deleted']);
  });

  it('hears nothing after it left', () => {
    const hub = newHub();
    const [left, gone, stays] = [new Listener(), new Listener(), new Listener()];
    for (const listener of [left, gone, stays])
      hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    hub.unsubscribe(left, 'workflow:a');
    hub.drop(gone);
    hub.publish(of(1, deleted));
    expect([left, gone, stays].map((listener) => listener.heard.length)).toEqual([0, 0, 1]);
    expect(hub.channelsOf(gone)).toEqual([]);
  });

  it('loses its channel before it hears that it may not read the workflow any more', () => {
    const hub = newHub((workflow) => workflow.isPublic);
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    const workflow = { id: 1, isPublic: false } as Workflow;
    hub.publish(of(1, { type: 'workflow_updated', workflow }, deleted));
    expect(listener.losses).toEqual(['workflow:a: Workflow not found.']);
    expect(listener.heard).toEqual([]);
  });
});

describe('what a run put out', () => {
  it('is left out where it is larger than an event should be', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    const status = { type: 'node_status', executionId, nodeId: 'n', status: 'success' } as const;
    hub.publish(of(1, { ...status, output: { text: 'small' } }, { ...status, output: { text: 'x'.repeat(70_000) } }));
    expect(listener.heard.map(({ data }) => data)).toEqual([
      { execution_id: executionId, node_id: 'n', status: 'success', output: { text: 'small' } },
      { execution_id: executionId, node_id: 'n', status: 'success', output_omitted: true },
    ]);
  });

  it('leaves out what a respond node answered: that is for the request that waits', () => {
    const hub = newHub();
    const listener = new Listener();
    hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1 });
    const respond = { status: 200, headers: {}, body: 'secret' };
    hub.publish(of(1, { type: 'node_status', executionId, nodeId: 'n', status: 'success', respond }));
    expect(listener.buffers.join()).not.toContain('secret');
  });
});
