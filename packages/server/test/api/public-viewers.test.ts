import type { JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Hub } from '../../src/live/hub.ts';
import { type Api, apiOf } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';
import { addKeyedUser } from '../support/keyed-user.ts';

const path = '/api/v1/workflows/timed/';
const channel = 'workflow:timed';
const minute = 60_000;
const runs = Number(process.env.MILLRACE_VIEWER_RUNS ?? 10);

interface Event {
  readonly type: string;
  readonly seq: number;
  readonly data: JsonObject;
}

/** One thing that happens to a workflow with a schedule. */
type Happening = (owner: Api, clockwork: Clockwork) => Promise<unknown>;

const schema = { type: 'object', required: ['order'] };
const happenings: Readonly<Record<string, Happening>> = {
  'time passes': (_owner, clockwork) => clockwork.pass(minute),
  'its runs can start': (owner) => owner.patch(path, { input_schema: null }),
  'its runs cannot start': (owner) => owner.patch(path, { input_schema: schema }),
  'a run is started by hand': (owner) => owner.post(`${path}execute/`, { payload: { secret: 'secret payload' } }),
  'it is paused': (owner) => owner.post(`${path}nodes/tick/schedule/pause/`),
  'it is started': (owner) => owner.post(`${path}nodes/tick/schedule/start/`),
  'it is stopped': (owner) => owner.post(`${path}nodes/tick/schedule/stop/`),
  'its label changes': (owner, { time }) => owner.patch(`${path}nodes/tick/`, { label: String(time.clock.now()) }),
  'its interval changes': (owner) =>
    owner.patch(`${path}nodes/tick/`, { config: { extra_config: { interval_seconds: 90 } } }),
  'its payload changes': (owner) =>
    owner.patch(`${path}nodes/tick/`, { config: { extra_config: { trigger_payload: { order: 'secret order' } } } }),
  'a sample is stored': (owner) =>
    owner.patch(`${path}nodes/tick/`, {
      config: { trigger_config: { samples: [{ name: 'secret name', payload: 'secret payload' }] } },
    }),
  'an output is pinned': (owner) =>
    owner.patch(`${path}nodes/say/`, { config: { extra_config: { pinned_output: { output: 'secret output' } } } }),
  'nothing of it changes': (owner) => owner.patch(`${path}nodes/tick/`, {}),
  'it is switched off': (owner) => owner.patch(`${path}nodes/tick/`, { config: { is_active: false } }),
  'it is switched on': (owner) => owner.patch(`${path}nodes/tick/`, { config: { is_active: true } }),
  'it is deleted': (owner) => owner.delete(`${path}nodes/tick/`),
  'an earlier version is restored': (owner) => owner.post(`${path}versions/2/restore/`),
  'the workflow is published': (owner) => owner.post(`${path}publish/`, { note: 'secret note', force: true }),
  'the workflow is live': (owner) => owner.post(`${path}unpublish/`),
  'the workflow is switched off': (owner) => owner.patch(path, { is_active: false }),
  'the workflow is switched on': (owner) => owner.patch(path, { is_active: true }),
  'a node and an edge are added': async (owner) => {
    await owner.post(`${path}nodes/`, { node_id: 'say', component_type: 'template' });
    return owner.post(`${path}edges/`, { source_node_id: 'tick', target_node_id: 'say' });
  },
  'a node is deleted': (owner) => owner.delete(`${path}nodes/say/`),
};

/** What a GET shows of the object of an event; undefined for an object that no longer exists. */
function shown(detail: JsonObject, { type, data }: Event): unknown {
  const { nodes, edges, ...workflow } = detail;
  if (type === 'workflow_updated') return workflow;
  const objects = (type.startsWith('node') ? nodes : edges) as readonly JsonObject[];
  return objects.find(({ id }) => id === data.id);
}

/** For each object, the last event that contains it. */
function lastOfEach(events: readonly Event[]): readonly Event[] {
  const ofObjects = events.filter(({ type }) => !type.endsWith('_deleted'));
  const kind = ({ type }: Event): string => type.split('_')[0] ?? '';
  return [...new Map(ofObjects.map((event) => [`${kind(event)} ${event.data.id}`, event])).values()];
}

test('events show public viewers exactly what a GET shows them, and nothing of runs', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(happenings)), { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(names, async (drawn) => {
      const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
      const { api: owner, app, stop } = await clockwork.start();
      await clockwork.addSchedule(owner, 'timed', { interval_seconds: 60 }, { input_schema: schema, is_public: true });
      const { key } = await addKeyedUser(clockwork.store, { username: 'visitor', at: clockwork.time.clock.now() });
      const visitor = apiOf(app.server, key);
      const workflow = await clockwork.store.workflows.bySlug('timed');
      const topic = { kind: 'workflow', workflowId: workflow?.id ?? 0, access: 'public' } as const;
      const hub = new Hub(clockwork.time.clock);
      clockwork.store.subscribe({ published: (published) => hub.publish(published) });
      const received: string[] = [];
      const deliver = (message: Buffer): void => void received.push(String(message));
      const begin = hub.subscribe({ deliver, revoked: () => undefined }, channel, topic);
      let checked = 0;
      for (const name of ['time passes', ...drawn]) {
        await happenings[name]?.(owner, clockwork);
        await clockwork.settle();
        const events = received.slice(checked).map((text) => JSON.parse(text) as Event);
        checked = received.length;
        const detail = (await visitor.get(path)).body as JsonObject;
        for (const event of lastOfEach(events)) expect([name, event.data]).toEqual([name, shown(detail, event)]);
      }
      expect(received.length).toBeGreaterThan(0);
      expect(received.filter((text) => /"type":"(execution|node_status|token)|secret/.test(text))).toEqual([]);
      expect(hub.replay(channel, topic, begin).messages.map(String)).toEqual(received);
      await stop();
    }),
    { numRuns: runs },
  );
});
