import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Editor } from '../harness/editor.ts';
import { eventually } from '../harness/eventually.ts';
import { journey } from '../harness/journey.ts';
import { modelKey } from '../harness/model-provider.ts';
import type { Service } from '../harness/service.ts';

interface Execution {
  readonly status: string;
  readonly logs: readonly { readonly node_id: string; readonly status: string; readonly attempt: number }[];
}

const names = (prefix: string, count: number): readonly string[] => {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
};

/** A hundred nodes: templates before and after a model call, a request that fails twice, and a route not taken. */
function textOf(providerUrl: string): string {
  const template = (id: string): string => `  - {id: ${id}, type: template, template: '${id}'}`;
  return [
    'name: Live hundred',
    'trigger: manual',
    'model: {model_name: large}',
    'steps:',
    ...names('before', 47).map(template),
    '  - id: request',
    '    type: http',
    `    url: ${providerUrl}/models`,
    '    policies: {on_error: continue, retry: {max_attempts: 2, delay_ms: 1, jitter: false}}',
    '  - {id: ask, type: agent, prompt: Be brief., input: Write a story}',
    '  - id: choice',
    '    type: switch',
    '    rules: [{field: ask.output, operator: contains, value: zebra, route: not_taken}]',
    '    default: taken',
    template('not_taken'),
    template('taken'),
    "  - {id: after1, type: template, after: [not_taken, taken], template: 'after'}",
    ...names('after', 46).slice(1).map(template),
  ].join('\n');
}

/** Places the nodes in a grid, so that all cards are on the page, and near enough to be more than blocks. */
async function arrange(service: Service, slug: string): Promise<number> {
  const { nodes } = await service.call<{ nodes: readonly { readonly node_id: string }[] }>(`workflows/${slug}/`);
  for (const [index, { node_id: id }] of nodes.entries()) {
    const body = { position_x: (index % 10) * 260, position_y: Math.floor(index / 10) * 130 };
    await service.call(`workflows/${slug}/nodes/${id}/`, { method: 'PATCH', body });
  }
  return nodes.length;
}

/** What the cards say about their nodes: each name of a node once. */
async function shownStates(page: Page): Promise<Readonly<Record<string, string>>> {
  const cards = await page.locator('.react-flow__node').evaluateAll((elements) =>
    elements.map((card) => {
      const text = card.textContent ?? '';
      const state = ['Succeeded', 'Failed', 'Skipped', 'Running', 'Retrying'].find((name) => text.includes(name));
      return [card.getAttribute('data-id') ?? '', state ?? ''] as const;
    }),
  );
  return Object.fromEntries(cards.filter(([, state]) => state !== ''));
}

const stateNames: Readonly<Record<string, string>> = { success: 'Succeeded', failed: 'Failed', skipped: 'Skipped' };

/** What the cards should say, from the logs: the last attempt of each node. */
function statesIn({ logs }: Execution): Readonly<Record<string, string>> {
  return Object.fromEntries(logs.map(({ node_id: id, status }) => [id, stateNames[status] ?? status]));
}

journey('J09: a live run of a hundred nodes survives a reload and a lost connection', async (scene) => {
  const { page, service, model } = scene;
  await service.call('credentials/', {
    method: 'POST',
    body: {
      name: 'Story model',
      credential_type: 'llm',
      detail: { provider_type: 'provider_a_compatible', base_url: model.url, api_key: modelKey },
    },
  });
  const yaml = textOf(model.url).replace('model_name: large', 'model_name: large, credential: Story model');
  let release = (): void => undefined;
  model.hold = new Promise((resolve) => {
    release = resolve;
  });
  // The page reaches the service through these, so that they can be cut.
  let isCut = false;
  const cuts: (() => void)[] = [];
  await page.routeWebSocket(/\/ws\//, (socket) => {
    if (isCut) return void socket.close();
    const other = socket.connectToServer();
    cuts.push(() => {
      void socket.close();
      void other.close();
    });
  });
  const editor = await Editor.create(page, service, yaml);
  expect(await arrange(service, editor.slug)).toBeGreaterThanOrEqual(100);
  await editor.open();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await eventually(() => page.url()).toContain('run=');
  const id = new URL(page.url()).searchParams.get('run') ?? '';
  const read = () => service.call<Execution>(`executions/${id}/`);
  await editor.card('ask').getByText('You said').waitFor();

  // A reload in the middle of the run: the cards show what the service has stored.
  await page.reload();
  await eventually(async () => (await shownStates(page)).request).toBe('Failed');
  const middle = statesIn(await read());
  await eventually(async () => {
    const { ask: _running, ...ended } = await shownStates(page);
    return ended;
  }).toEqual(middle);

  // The connection is lost while the rest of the run happens. The browser warns if it was not open yet.
  scene.expectFailure({ url: /\/ws\//, status: 0 });
  isCut = true;
  for (const cut of cuts.splice(0)) cut();
  const pill = page.getByRole('button', { name: /Live updates paused/ });
  await pill.waitFor();
  release();
  await eventually(async () => (await read()).status).not.toBe('running');
  expect(await read()).toMatchObject({ status: 'completed', error_message: null });
  expect((await shownStates(page)).after46).toBeUndefined();
  isCut = false;
  // The page also connects by itself, and then the button is gone.
  await pill.click({ timeout: 5_000 }).catch(() => pill.waitFor({ state: 'detached' }));
  const end = await read();
  await eventually(() => shownStates(page)).toEqual(statesIn(end));
  await page.getByRole('region', { name: 'Run on the canvas' }).getByText('Succeeded').waitFor();

  // Exactly one retry, one failure, one skip, and no step twice.
  const attempts = end.logs.map(({ node_id: node, attempt }) => `${node} ${attempt}`);
  expect(new Set(attempts).size).toBe(attempts.length);
  expect(end.logs.filter(({ node_id: node }) => node === 'request').length).toBe(2);
  expect(end.logs.filter(({ status }) => status === 'skipped').map(({ node_id: node }) => node)).toEqual(['not_taken']);
});
