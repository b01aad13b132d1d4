import { expect } from 'vitest';
import { Hand, pace } from '../harness/hand.ts';
import { journey } from '../harness/journey.ts';

/** The limit for the whole path of a person, from the start of the service to a successful run. */
const firstRunMs = 90_000;

journey('J01: a first start leads to a successful run in six clicks, without a credential', async (scene) => {
  const startedAt = performance.now();
  const { printed } = await scene.newService();
  const [link = ''] = /http:\S+\/setup#token=\S+/.exec(printed[0] ?? '') ?? [];
  const page = await scene.newPage(null);
  const hand = new Hand(page);
  let clicks = 0;
  const click = async (role: 'button' | 'link', name: string | RegExp): Promise<void> => {
    clicks += 1;
    await hand.click(page.getByRole(role, { name }).first());
  };
  await page.goto(link);
  await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
  await click('link', 'New workflow');
  await click('button', /^Loop over a list/);
  await click('button', /^Run$/);
  await page.getByText('Succeeded').first().waitFor();
  expect(clicks).toBeLessThanOrEqual(6);
  const tookMs = performance.now() - startedAt;
  if (pace.key > 0) console.log(`first run: ${(tookMs / 1000).toFixed(0)} s (limit ${firstRunMs / 1000} s)`);
  expect(tookMs).toBeLessThan(firstRunMs);
  const second = await scene.newPage(null);
  scene.expectFailure({ url: /\/auth\/session\/$/, status: 401 });
  await second.goto(link);
  await second.getByText('This setup link is not valid any more').waitFor();
});
