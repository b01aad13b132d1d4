import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { reached } from '../../packages/server/test/support/reached.ts';
import { eventually } from '../harness/eventually.ts';
import { injectedParts, injections, noteViolations } from '../harness/injections.ts';
import { journey, type Scene } from '../harness/journey.ts';

/** Payloads of one workflow: few enough that the editor draws the cards of all its nodes. */
const groupSize = 20;
/** A check of the code uses 40 payloads, of every kind once; `npm run test:injections` uses all 200. */
const count = Number(process.env.E2E_INJECTIONS ?? 40);

interface Run {
  readonly execution_id: string;
  readonly status: string;
  readonly logs: readonly { readonly node_id: string; readonly output: { readonly output?: string } | null }[];
}

journey('strings of users, outputs of nodes and answers of models run no script on any page', async (scene) => {
  await scene.page.addInitScript(noteViolations);
  for (let from = 0; from < count; from += groupSize) {
    const payloads = injections.slice(from, from + groupSize);
    await addSettings(scene, payloads, from);
    for (const path of await seeded(scene, payloads)) await visitSafely(scene, path);
    await visitSafely(scene, `/workflows?q=${encodeURIComponent(payloads[0] ?? '')}`);
    await visitSafely(scene, `/runs?workflow=${encodeURIComponent(payloads[1] ?? '')}`);
  }
  for (const path of [
    '/workflows',
    '/runs',
    '/inbox',
    '/schedules',
    '/credentials',
    '/trash',
    '/settings/variables',
    '/settings/memory',
    '/settings/api-keys',
  ])
    await visitSafely(scene, path);
  reached('P18', `${count} payloads in Chromium, 0 executed`);
});

async function visitSafely({ page, goto }: Scene, path: string): Promise<void> {
  await goto(path);
  await page.waitForLoadState('networkidle');
  await expectNothingInjected(page, path);
}

async function expectNothingInjected(page: Page, path: string): Promise<void> {
  expect([path, await page.evaluate(injectedParts)]).toEqual([path, []]);
}

/** Puts the payloads into everything that a user, a node or a model can write, and returns the pages that show it. */
async function seeded(scene: Scene, payloads: readonly string[]): Promise<readonly string[]> {
  const { service } = scene;
  const slug = await addWorkflow(scene, payloads);
  const payload = {
    items: payloads,
    all: payloads.join('\n\n'),
    keys: Object.fromEntries(payloads.map((key) => [key, key])),
  };
  const { execution_id: id } = await service.call<Run>(`workflows/${slug}/execute/`, {
    method: 'POST',
    body: { payload },
  });
  const read = () => service.call<Run>(`executions/${id}/`);
  await eventually(async () => (await read()).status).toBe('interrupted');
  const answerPage = (await read()).logs.find(({ node_id }) => node_id === 'link')?.output?.output ?? '';
  const failing = await addFailingWorkflow(scene, payloads);
  const failed = await service.call<Run>(`workflows/${failing}/execute/`, { method: 'POST', body: { payload } });
  await eventually(async () => (await service.call<Run>(`executions/${failed.execution_id}/`)).status).toBe('failed');
  const chat = await addChat(scene, payloads);
  return [
    `/w/${slug}`,
    `/w/${slug}?node=s0`,
    `/w/${slug}/triggers`,
    `/w/${slug}/versions`,
    `/w/${slug}/settings`,
    `/runs/${id}`,
    `/runs/${id}?step=all`,
    `/runs/${id}?step=s1`,
    `/runs/${failed.execution_id}`,
    `/w/${chat}/chat`,
    new URL(answerPage).pathname,
  ];
}

/** By default the slug is made of the letters of the name, which several payloads share. */
function slugOf(payload = ''): string {
  return `injected-${injections.indexOf(payload)}`;
}

async function addWorkflow({ service }: Scene, payloads: readonly string[]): Promise<string> {
  const text = {
    name: payloads[0]?.slice(0, 200),
    slug: slugOf(payloads[0]),
    description: payloads.join('\n').slice(0, 1000),
    tags: payloads.slice(0, 5).map((payload) => payload.replaceAll(/\s/g, ' ').slice(0, 50)),
    trigger: 'manual',
    steps: [
      ...payloads.map((payload, index) => ({
        id: `s${index}`,
        type: 'template',
        label: payload.slice(0, 200),
        template: `{{ trigger.payload.items[${index}] }}`,
      })),
      { id: 'all', type: 'transform', expression: 'trigger.payload' },
      { id: 'link', type: 'template', template: '{{ question.approve_url }}' },
      { id: 'question', type: 'human', prompt: '{{ trigger.payload.all }}' },
    ],
  };
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: JSON.stringify(text) },
  });
  await service.call(`workflows/${slug}/nodes/`, {
    method: 'POST',
    body: { component_type: 'notes', config: { extra_config: { text: payloads.join('\n\n') } } },
  });
  await service.call(`workflows/${slug}/publish/`, { method: 'POST', body: { note: payloads[2], force: true } });
  await service.call(`workflows/${slug}/variables/`, {
    method: 'POST',
    body: { name: 'text', value: payloads.join('\n') },
  });
  return slug;
}

async function addFailingWorkflow({ service }: Scene, payloads: readonly string[]): Promise<string> {
  const rules = [{ field: 'trigger.payload.items', operator: 'is_empty' }];
  const text = {
    name: payloads[6]?.slice(0, 200),
    slug: slugOf(payloads[6]),
    trigger: 'manual',
    steps: [{ id: 'check', type: 'assertion', message: '{{ trigger.payload.all }}', rules }],
  };
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: JSON.stringify(text) },
  });
  return slug;
}

/** A chat whose user and model write the payloads. */
async function addChat({ service, model }: Scene, payloads: readonly string[]): Promise<string> {
  const { name } = await service.call<{ name: string }>('credentials/', {
    method: 'POST',
    body: {
      name: payloads[3]?.slice(0, 200),
      credential_type: 'llm',
      detail: {
        provider_type: 'provider_a_compatible',
        api_key: 'sk-good-key-0123456789abcdefghijklmnop',
        base_url: model.url,
      },
    },
  });
  const text = {
    name: payloads[7]?.slice(0, 200),
    slug: slugOf(payloads[7]),
    trigger: 'chat',
    model: { model_name: 'small', credential: name },
    steps: [{ id: 'answer', type: 'agent', prompt: 'Repeat.' }],
  };
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: JSON.stringify(text) },
  });
  for (const payload of payloads) {
    await service.call(`workflows/${slug}/chat/`, { method: 'POST', body: { text: payload } });
  }
  return slug;
}

/** The strings of the whole service. */
async function addSettings({ service }: Scene, payloads: readonly string[], group: number): Promise<void> {
  const slug = `deleted-${group}`;
  await service.call('workflows/', { method: 'POST', body: { slug, name: payloads[4]?.slice(0, 200) } });
  await service.call(`workflows/${slug}/`, { method: 'DELETE' });
  for (const [index, value] of payloads.entries()) {
    await service.call('variables/', { method: 'POST', body: { name: `injected_${group + index}`, value } });
    const query = new URLSearchParams({ scope: 'global', key: value.slice(0, 255) });
    await service.call(`memory/facts/?${query}`, { method: 'PUT', body: { value } });
  }
  await service.call('users/me/keys/', { method: 'POST', body: { name: payloads[5]?.slice(0, 100) } });
}
