import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { attacks, ForeignSite } from '../harness/foreign-site.ts';
import { journey } from '../harness/journey.ts';
import type { Service } from '../harness/service.ts';

const yaml = `
name: Target
slug: target
trigger: webhook
steps:
  - id: hello
    type: template
    template: Hello
`;

/** Everything that a foreign page could have changed. */
async function stateOf(service: Service): Promise<unknown> {
  const paths = ['workflows/', 'executions/', 'credentials/', 'users/', 'trash/', 'workflows/target/'];
  const parts = await Promise.all(paths.map((path) => service.call<object>(path)));
  const keys = await service.call<readonly { id: number; name: string }[]>('users/me/keys/');
  // Without the time of their last use, which this request changes.
  return [...parts, keys.map(({ id, name }) => [id, name])];
}

/** Opens the foreign site in a page, and returns what its script could do, and whether the service was in a frame. */
async function attack(page: Page, { site, service }: { site: string; service: Service }): Promise<readonly string[]> {
  await page.goto(site);
  const done = await page.evaluate(`(${attacks})(${JSON.stringify({ service: service.url, slug: 'target' })})`);
  const framed = page.frames().filter((frame) => frame.url().startsWith(`${service.url}/workflows`));
  return [...(done as string[]), ...framed.map((frame) => `framed ${frame.url()}`)];
}

journey('a page of another origin reads nothing and changes nothing, with and without a session', async (scene) => {
  const { service, page } = scene;
  await service.call('workflows/import/', { method: 'POST', body: { yaml_str: yaml } });
  const site = await ForeignSite.start();
  try {
    const before = await stateOf(service);
    const visitor = await scene.newPage(null);
    for (const context of [page.context(), visitor.context()]) {
      for (const host of ['127.0.0.1', 'localhost'] as const) {
        // The browser reports each blocked request, so the journey does not watch this page.
        const foreign = await context.newPage();
        expect(await attack(foreign, { site: site.at(host), service })).toEqual([]);
        await foreign.close();
      }
    }
    expect(await stateOf(service)).toEqual(before);
  } finally {
    await site.stop();
  }
  // The session is still valid, and the service's own page may do what the others may not.
  await scene.goto('/workflows');
  const own = await page.evaluate(`fetch('/api/v1/workflows/').then((response) => response.status)`);
  expect(own).toBe(200);
});
