import { journey, type Scene } from '../harness/journey.ts';

const yaml = `
name: Every page
trigger: manual
steps:
  - id: hello
    type: template
    template: 'Hello {{ trigger.payload.name | default("you") }}'
  - id: broken
    type: template
    template: '{{ trigger.payload.order.number }}'
`;

/** Creates a workflow with a run, and returns the address of each page. */
async function seededPages({ service }: Scene): Promise<readonly string[]> {
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: yaml },
  });
  await service.call(`workflows/${slug}/execute/`, { method: 'POST', body: {} });
  const { items } = await service.call<{ items: { execution_id: string }[] }>('executions/');
  return [
    '/workflows',
    '/trash',
    '/workflows/new',
    '/runs',
    '/inbox',
    '/credentials',
    `/runs/${items[0]?.execution_id}`,
    `/w/${slug}`,
    `/w/${slug}/settings`,
  ];
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
