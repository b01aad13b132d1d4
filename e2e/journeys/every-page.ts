import type { Page } from 'playwright-core';
import { journey, type Scene } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';
import { visit } from '../harness/stage.ts';

const yaml = `
name: Every page
trigger: chat
steps:
  - id: hello
    type: template
    template: 'Hello {{ trigger.payload.name | default("you") }}'
  - id: broken
    type: template
    template: '{{ trigger.payload.order.number }}'
`;

/** The pages with data that belongs to no workflow. */
const lists = [
  '/workflows',
  '/trash',
  '/runs',
  '/inbox',
  '/schedules',
  '/credentials',
  '/settings/api-keys',
  '/settings/memory',
  '/settings/users',
  '/settings/variables',
];

/** The pages that read nothing from the API. */
const forms = ['/workflows/new', '/settings/profile', '/settings/appearance', '/settings/health'];

/** Creates what the pages show, and returns the address of each page. */
async function seededPages({ service }: Scene): Promise<readonly string[]> {
  const post = <T>(path: string, body: object): Promise<T> => service.call<T>(path, { method: 'POST', body });
  const { slug } = await post<{ slug: string }>('workflows/import/', { yaml_str: yaml });
  const runs = ['One', 'Two'].map((text) => post(`workflows/${slug}/chat/`, { text }).catch(() => null));
  await Promise.all(runs);
  await post(`workflows/${slug}/publish/`, { name: 'First' });
  await service.call(`workflows/${slug}/nodes/hello/`, { method: 'PATCH', body: { position_x: 800 } });
  await post('credentials/', {
    name: 'Every model',
    credential_type: 'llm',
    detail: { provider_type: 'provider_a_compatible', api_key: 'sk-unused' },
  });
  const timed = { component_type: 'trigger_schedule', config: { extra_config: { cron: '0 9 * * *' } } };
  await post(`workflows/${slug}/nodes/`, { node_id: 'daily', ...timed });
  await post('variables/', { name: 'every_page', value: 'x' });
  await post('workflows/', { name: 'Deleted page', slug: 'deleted-page' });
  await service.call('workflows/deleted-page/', { method: 'DELETE' });
  const { items } = await service.call<{ items: { execution_id: string }[] }>(`executions/?workflow=${slug}`);
  const [a, b] = items.map(({ execution_id: id }) => id);
  return [
    ...lists,
    ...forms,
    `/runs/${a}`,
    `/runs/${a}?step=broken`,
    `/runs/compare?a=${a}&b=${b}&step=hello`,
    `/w/${slug}`,
    `/w/${slug}?node=hello`,
    `/w/${slug}/triggers`,
    `/w/${slug}/versions?version=1`,
    `/w/${slug}/chat`,
    `/w/${slug}/usage`,
    `/w/${slug}/settings`,
  ];
}

/** A page in which the admin of a service is logged in. */
async function admin(scene: Scene, url: string): Promise<Page> {
  const page = await scene.newPage(null);
  const headers = { origin: url };
  await page.context().request.post(`${url}/api/v1/auth/session/`, { headers, data: { api_key: adminKey } });
  return page;
}

journey('every page has a heading and no serious finding of axe, in light and dark', async (scene) => {
  for (const path of await seededPages(scene)) {
    await scene.goto(path);
    await scene.page.waitForLoadState('networkidle');
    await scene.checkAccessibility();
  }
  const visitor = await scene.newPage(null);
  await visitor.goto(`${scene.service.url}/login`);
  await visitor.getByRole('heading', { level: 1 }).waitFor();
});

journey('every page that has nothing to show says so, without a serious finding of axe', async (scene) => {
  const service = await scene.newService();
  const page = await admin(scene, service.url);
  await service.call('workflows/', { method: 'POST', body: { name: 'Empty', slug: 'empty' } });
  const ofWorkflow = ['', '/triggers', '/versions', '/chat', '/settings'].map((part) => `/w/empty${part}`);
  for (const path of [...lists, ...ofWorkflow]) {
    await visit(page, service, path);
    await page.waitForLoadState('networkidle');
    await scene.checkAccessibility(page);
  }
});

journey('a page whose data is missing or cannot be read says so, without a serious finding of axe', async (scene) => {
  const { page } = scene;
  scene.expectFailure({ url: /./, status: 404 });
  for (const path of ['/nowhere', '/w/nowhere', '/runs/00000000-0000-4000-8000-000000000000', '/settings/nowhere']) {
    await scene.goto(path);
    await page.waitForLoadState('networkidle');
    await scene.checkAccessibility();
  }
  scene.expectFailure({ url: /\/api\/v1\//, status: 500 });
  const body = JSON.stringify({ detail: 'Something failed.', code: 'internal' });
  await page.route(/\/api\/v1\/(?!auth\/)/, (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  );
  for (const path of lists) {
    await scene.goto(path);
    await page.getByText('Something failed.').first().waitFor();
    await scene.checkAccessibility();
  }
});
