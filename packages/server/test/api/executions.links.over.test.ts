import type { JsonObject } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { type LinkScene, type LinkSketch, linkScene, received } from '../support/link-scene.ts';

const over = { detail: 'This callback was already used, or no step waits for it any more.' };
const closed = 'This question is no longer open.';
const questionClosed = 'This question is closed';
const alreadyAnswered = 'Already answered';
const alreadyApproved = 'Already approved just now';

const slow = ['wait', { duration: 1, unit: 'minutes' }] as const;
const steps = {
  start: 'trigger_manual',
  received: ['transform', { fields: { url: '{{ hook.callback_url }}', yes: '{{ ask.approve_url }}' } }],
  hook: ['wait', { callback: true }],
  ask: ['human_confirmation', { prompt: 'Go?' }],
} as const;

/** Its first item fails in node `bad`, a minute after it began. */
function failingItem(edges: string): LinkSketch {
  return {
    nodes: {
      ...steps,
      each: ['loop', { items: [{}, { fine: 1 }], concurrency: 2, on_error: 'continue' }],
      slow,
      bad: ['transform', { expression: 'loop.item.fine' }],
      end: ['merge', {}],
    },
    edges: `start -> each\neach -loop_body-> received\nreceived -> slow\nslow -> bad\n${edges}\nend -loop_return-> each`,
  };
}

/** Checks the answers to a late callback and a late approval, and that the page of the link shows no question. */
async function expectOver(scene: LinkScene, detail: () => Promise<JsonObject>, frame: string): Promise<void> {
  const [url, yes] = [received(await detail(), 'url', frame), received(await detail(), 'yes', frame)];
  const before = await detail();
  const call = await scene.send('POST', url, '{"late":true}');
  expect([call.status, JSON.parse(call.text)]).toEqual([409, over]);
  expect((await scene.send('GET', yes)).text).toContain(questionClosed);
  const approval = await scene.send('POST', yes, '{}');
  expect([approval.status, JSON.parse(approval.text)]).toEqual([409, { detail: closed }]);
  expect(await detail()).toEqual(before);
}

describe('a link', () => {
  test('to a step that was waiting when its iteration ended is no longer valid', async () => {
    const scene = await linkScene({
      main: failingItem('received -> hook\nreceived -> ask\nbad -> end\nhook -> end\nask -> end'),
    });
    const detail = await scene.start('main');
    expect((await detail()).waits).toHaveLength(6);
    scene.running.time.advance(60_000);
    await scene.running.settle();
    expect((await detail()).waits).toHaveLength(2);
    await expectOver(scene, detail, 'each[0]');
    expect((await scene.send('POST', received(await detail(), 'url', 'each[1]'), '{}')).status).toBe(200);
    expect((await scene.send('POST', received(await detail(), 'yes', 'each[1]'), '{}')).status).toBe(200);
    expect(await detail()).toMatchObject({ status: 'completed' });
  });

  test('to a step that its iteration had not reached when it ended is no longer valid', async () => {
    const scene = await linkScene({ main: failingItem('bad -> hook\nbad -> ask\nhook -> end\nask -> end') });
    const detail = await scene.start('main');
    scene.running.time.advance(60_000);
    await scene.running.settle();
    await expectOver(scene, detail, 'each[0]');
  });

  test('to a step that was skipped is no longer valid', async () => {
    const scene = await linkScene({
      main: {
        nodes: {
          ...steps,
          other: ['human_confirmation', { prompt: 'What else?' }],
        },
        edges: 'start -> received\nreceived -error-> hook\nreceived -error-> ask\nreceived -> other',
      },
    });
    await expectOver(scene, await scene.start('main'), '');
  });

  test('that was used stays invalid after its run was retried', async () => {
    const scene = await linkScene({
      main: {
        nodes: { ...steps, late: ['wait', { callback: true, timeout_seconds: 60, retry: { max_attempts: 1 } }] },
        edges: 'start -> received\nreceived -> hook\nreceived -> ask\nhook -> late',
      },
    });
    const detail = await scene.start('main');
    const url = received(await detail(), 'url');
    expect((await scene.send('POST', url, '{}')).status).toBe(200);
    scene.running.time.advance(60_000);
    await scene.running.settle();
    const { execution_id, status } = await detail();
    expect(status).toBe('failed');
    await scene.member.post(`/api/v1/executions/${execution_id}/retry/`);
    await scene.running.settle();
    expect((await detail()).status).toBe('interrupted');
    expect((await scene.send('POST', url, '{}')).status).toBe(409);
  });
});

describe('a link to a question', () => {
  test('that was answered is no longer valid while its run continues', async () => {
    const scene = await linkScene({
      main: { nodes: { ...steps, slow }, edges: 'start -> received\nreceived -> ask\nask -> slow\nslow -> hook' },
    });
    const detail = await scene.start('main');
    const yes = received(await detail(), 'yes');
    expect((await scene.send('GET', yes)).text).toContain('<button>Approve</button>');
    expect((await scene.send('POST', yes, '{}')).status).toBe(200);
    expect((await detail()).status).toBe('waiting');
    expect((await scene.send('GET', yes)).text).toContain(alreadyApproved);
  });

  test('that was answered before it was asked is no longer valid', async () => {
    const scene = await linkScene({
      main: { nodes: { ...steps, slow }, edges: 'start -> received\nreceived -> slow\nslow -> ask\nslow -> hook' },
    });
    const yes = received(await (await scene.start('main'))(), 'yes');
    expect((await scene.send('GET', yes)).text).toContain('has not reached this question yet');
    expect((await scene.send('POST', yes, '{}')).status).toBe(200);
    expect((await scene.send('GET', yes)).text).toContain(alreadyAnswered);
  });

  test('shows only its own question, not the one about running its node', async () => {
    const scene = await linkScene({ main: { nodes: steps, edges: 'start -> received\nreceived -> ask\nask -> hook' } });
    await scene.running.editNodes('main', (node) =>
      node.nodeId === 'ask' ? { ...node, interruptBefore: true } : node,
    );
    const detail = await scene.start('main');
    expect((await detail()).waits).toMatchObject([{ stage: 'before', prompt: "Run node 'ask'?" }]);
    const page = await scene.send('GET', received(await detail(), 'yes'));
    expect(page.text).toContain('has not reached this question yet');
    expect(page.text).not.toContain('Run node');
  });

  test('accepts an answer for 30 days after the question was asked, or until the timeout of its node', async () => {
    const day = 24 * 60 * 60 * 1000;
    const after = async (days: number, extra: JsonObject) => {
      const ask = ['human_confirmation', { prompt: 'Go?', ...extra }] as const;
      const scene = await linkScene({
        main: {
          nodes: { ...steps, slow, ask },
          edges: 'start -> received\nreceived -> slow\nslow -> ask\nask -> hook',
        },
      });
      const { time } = scene.running;
      const detail = await scene.start('main');
      time.advance(60_000);
      await scene.running.settle();
      const yes = received(await detail(), 'yes');
      time.setClock(days * day - 1);
      expect((await scene.send('GET', yes)).text).toContain('<button>Approve</button>');
      time.setClock(1);
      expect((await scene.send('GET', yes)).text).toContain('This link has expired');
      return scene.send('POST', yes, '{}');
    };
    for (const answer of [await after(30, {}), await after(50, { timeout_seconds: 50 * 86_400 })]) {
      expect([answer.status, JSON.parse(answer.text)]).toEqual([409, { detail: 'This link has expired.' }]);
    }
  });
});
