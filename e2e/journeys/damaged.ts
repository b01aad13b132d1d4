import { journey } from '../harness/journey.ts';
import { adminKey } from '../harness/service.ts';

const yaml_str = `
name: Still readable
trigger: manual
steps:
  - id: reply
    type: template
    template: Read me
`;

journey('with a damaged database, people log in, see why nothing is stored, and read what is whole', async (scene) => {
  const service = await scene.newService();
  const { slug } = await service.call<{ slug: string }>('workflows/import/', { method: 'POST', body: { yaml_str } });
  const body = { wait: true };
  const { execution_id: id } = await service.call<{ execution_id: string }>(`workflows/${slug}/execute/`, {
    method: 'POST',
    body,
  });
  await service.restartDamaged('variables');
  scene.expectFailure({ url: /\/(health|api\/v1)\//, status: 503 });
  const page = await scene.newPage(null);
  await page.goto(`${service.url}/workflows`);
  await page.getByRole('button', { name: 'Use an API key instead' }).click();
  await page.getByLabel('API key').fill(adminKey);
  await page.getByRole('button', { name: 'Log in' }).click();
  const notice = page.getByRole('status').filter({ hasText: 'It is still read, but nothing more is stored.' });
  await notice.getByText(/Restore a backup/).waitFor();
  await page.getByRole('link', { name: 'Still readable' }).click();
  await page.locator('.react-flow__node[data-id="reply"]').waitFor();
  await page.goto(`${service.url}/runs/${id}`);
  await page.getByRole('treeitem').filter({ hasText: 'reply' }).first().waitFor();
  await notice.waitFor();
  await page.goto(`${service.url}/workflows/new`);
  await page.getByRole('button', { name: /^Empty workflow/ }).click();
  await page
    .getByRole('alert')
    .getByText(/nothing more is stored\. Restore a backup/)
    .waitFor();
  await page.getByRole('button', { name: 'admin' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in to Millrace' }).waitFor();
});
