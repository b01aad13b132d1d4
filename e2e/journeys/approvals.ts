import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { journey, type Scene } from '../harness/journey.ts';

const yaml = (name: string, policies = '') => `
name: ${name}
trigger: manual
steps:
  - id: links
    type: transform
    fields: {approve: '{{ ask.approve_url }}', decline: '{{ ask.decline_url }}'}
  - id: ask
    type: human_confirmation
    prompt: Refund EUR 84.50 for order 10482?
    ${policies}
`;

interface Log {
  readonly node_id: string;
  readonly output: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Detail {
  readonly status: string;
  readonly logs: readonly Log[];
}

type Service = Scene['service'];

/** Starts a workflow that asks, and returns functions that read its execution. */
async function askingRun(service: Service, slug: string) {
  const { execution_id: id } = await service.call<{ execution_id: string }>(`workflows/${slug}/execute/`, {
    method: 'POST',
    body: {},
  });
  const detail = () => service.call<Detail>(`executions/${id}/`);
  const logOf = async (node: string) => (await detail()).logs.find((log) => log.node_id === node);
  const link = async (answer: 'approve' | 'decline') =>
    String(((await logOf('links'))?.output.output as Record<string, string>)[answer]);
  return { detail, logOf, link };
}

async function imported(service: Service, text: string): Promise<string> {
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: text },
  });
  return slug;
}

const status = async (run: { detail(): Promise<Detail> }) => (await run.detail()).status;

/** The number of runs that wait for a person: other journeys leave some, too. */
async function waiting(service: Service): Promise<number> {
  return (await service.call<{ total: number }>('executions/?status=interrupted&limit=1')).total;
}

/** Another person who may change a workflow, with an API key. */
async function colleague(service: Service, slug: string): Promise<string> {
  const login = { username: 'ana', password: 'a long sentence' };
  await service.call('users/', { method: 'POST', body: login });
  await service.call(`workflows/${slug}/collaborators/`, { method: 'POST', body: { username: 'ana', role: 'editor' } });
  const { token } = await service.call<{ token: string }>('auth/token/', { method: 'POST', body: login });
  return token;
}

journey('J12: the first of two answers counts, and the second person sees who gave it', async (scene) => {
  const { page, service } = scene;
  const slug = await imported(service, yaml('Refunds of a shop'));
  const run = await askingRun(service, slug);
  await eventually(() => status(run)).toBe('interrupted');
  const before = await waiting(service);
  const ana = await scene.newPage(await colleague(service, slug));
  const card = (on: Page) => on.getByRole('article').filter({ has: on.getByRole('link', { name: slug, exact: true }) });
  for (const on of [ana, page]) {
    await on.goto(`${service.url}/inbox`);
    await card(on).getByRole('button', { name: 'Decline' }).waitFor();
  }
  await page.getByRole('link', { name: `Inbox ${before} waiting` }).waitFor();
  await scene.checkAccessibility();
  await card(ana).getByRole('textbox', { name: 'Comment' }).fill('The parcel came back.');
  await card(ana).getByRole('button', { name: 'Approve' }).click();
  await card(ana).getByText('Approved. Your answer was stored.').waitFor();
  // The page of the admin may have read meanwhile that the question is closed: then it has no button any more.
  scene.expectFailure({ url: /\/resume\/$/, status: 409 });
  const late = card(page).getByText(/^Already approved by ana/);
  const decline = card(page).getByRole('button', { name: 'Decline' });
  await Promise.race([decline.click().catch(() => late.waitFor()), late.waitFor()]);
  await late.waitFor();
  await eventually(() => status(run)).toBe('completed');
  expect(await run.logOf('ask')).toMatchObject({
    output: { confirmed: true, user_response: 'The parcel came back.' },
    metadata: { answered_by: 'ana' },
  });
  await page.getByRole('link', { name: before === 1 ? /^Inbox$/ : `Inbox ${before - 1} waiting` }).waitFor();
  await card(page).getByRole('button', { name: 'Dismiss' }).click();
  await card(page).waitFor({ state: 'detached' });
});

journey('J12: a link is answered once on a phone, and opening it decides nothing', async (scene) => {
  const { service } = scene;
  const slug = await imported(service, yaml('Refunds by link'));
  const run = await askingRun(service, slug);
  await eventually(() => status(run)).toBe('interrupted');
  const phone = await scene.newPage(null, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  for (const answer of ['decline', 'approve'] as const) {
    await phone.goto(await run.link(answer));
    await phone.getByRole('heading', { name: answer === 'approve' ? 'Approve?' : 'Decline?' }).waitFor();
    await phone.getByText('Refund EUR 84.50 for order 10482?').waitFor();
  }
  expect(await status(run)).toBe('interrupted');
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await scene.checkAccessibility(phone);
  await phone.getByRole('textbox', { name: 'Comment' }).fill('From the train.');
  await phone.getByRole('button', { name: 'Approve' }).tap();
  await phone.getByRole('heading', { name: 'Approved' }).waitFor();
  await scene.checkAccessibility(phone);
  await eventually(() => status(run)).toBe('completed');
  expect(await run.logOf('ask')).toMatchObject({ output: { confirmed: true, user_response: 'From the train.' } });
  await phone.goto(await run.link('decline'));
  await phone.getByRole('heading', { name: /^Already approved/ }).waitFor();
  expect(await phone.getByRole('button').count()).toBe(0);
});

journey('J12: a link that has expired says which answer was used', async (scene) => {
  const { service } = scene;
  const slug = await imported(service, yaml('Refunds in time', 'policies: {timeout_seconds: 1}'));
  const run = await askingRun(service, slug);
  await eventually(() => status(run)).toBe('completed');
  const visitor = await scene.newPage(null);
  await visitor.goto(await run.link('approve'));
  await visitor.getByRole('heading', { name: 'This link has expired' }).waitFor();
  await visitor.getByText(/so the default answer was used: declined\.$/).waitFor();
  expect(await run.logOf('ask')).toMatchObject({ output: { confirmed: false }, metadata: { timed_out: true } });
});
