import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { AgentScene } from '../support/agent-scene.ts';
import type { ScriptedAnswer } from '../support/scripted-model.ts';

/** What the model gets for each call of a tool. */
async function results(
  made: AgentScene,
  [type, extra]: readonly [string, JsonObject],
  calls: readonly JsonObject[],
): Promise<readonly string[]> {
  const answers: ScriptedAnswer[] = [
    ...calls.map((args): ScriptedAnswer => ({ calls: [{ name: 'tool', args }] })),
    { text: 'Done.' },
  ];
  const { final_output: output, logs } = await made.run({ answers, tools: { tool: [type, extra] } });
  expect(output, JSON.stringify(logs.at(-1))).toBe('Done.');
  return made.lastMessages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

const everything: JsonObject = { allow: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /*`) };

test('a platform tool acts as the owner of the workflow', async () => {
  const made = await AgentScene.start();
  const [me] = await results(made, ['whoami', {}], [{}]);
  expect(me).toContain(`"username":"${made.person.user.username}"`);
});

test('a platform tool sees no workflow of others', async () => {
  const made = await AgentScene.start();
  const other = await made.running.addPerson('other');
  await made.running.addWorkflow(other.user, 'secret-plan', { nodes: { start: 'trigger_manual' }, edges: '' });
  const [list, read] = await results(
    made,
    ['platform_api', everything],
    [{ path: '/workflows/' }, { path: '/workflows/secret-plan/' }],
  );
  expect(list).toContain('"slug":"wf"');
  expect(list).not.toContain('secret-plan');
  expect(read).toContain('404');
});

test('a platform tool reaches no credential, key, user, variable or collaborator, even if its config allows everything', async () => {
  const made = await AgentScene.start();
  const closed = [
    { path: '/credentials/' },
    { path: '/users/' },
    { path: '/users/me/' },
    { path: '/users/me/keys/' },
    { method: 'POST', path: '/users/me/keys/', body: { name: 'mine' } },
    { path: '/variables/' },
    { path: '/workflows/wf/variables/' },
    { path: '/workflows/wf/collaborators/' },
    { method: 'POST', path: '/auth/token/', body: { username: 'member', password: 'x' } },
    { path: '/trash/' },
  ];
  const answers = await results(made, ['platform_api', everything], closed);
  expect(answers).toHaveLength(closed.length);
  const reached = closed.filter((_, at) => !/403|404/.test(answers[at] ?? ''));
  expect(reached.filter(({ path }) => path !== '/users/me/' && path !== '/auth/token/')).toEqual([]);
  expect(answers[8]).not.toContain('"key"');
});

test('a platform tool takes only paths of plain names, so that no spelling leads elsewhere', async () => {
  const made = await AgentScene.start();
  const spellings = [
    '/workflows/../credentials/',
    '/workflows/%2e%2e/credentials/',
    '/workflows//credentials/',
    '/workflows/wf/?x=/../../credentials/',
    '//credentials/',
    'http://127.0.0.1/api/v1/credentials/',
    '/workflows\\..\\credentials/',
    '/workflows/wf/;/../',
  ];
  const answers = await results(
    made,
    ['platform_api', {}],
    spellings.map((path) => ({ path })),
  );
  for (const answer of answers) expect(answer).toContain("'path' must be names separated by '/'");
});

test('a platform tool makes only the requests that its config allows', async () => {
  const made = await AgentScene.start();
  const tool = ['platform_api', { allow: ['POST /workflows/*/validate/', 'GET /executions/*'] }] as const;
  const [validated, list, deleted, other] = await results(made, tool, [
    { method: 'post', path: '/workflows/wf/validate/' },
    { path: '/api/v1/executions', query: { status: 'running', limit: 1 } },
    { method: 'DELETE', path: '/workflows/wf/' },
    { path: '/workflows/' },
  ]);
  expect(validated).toContain('"valid"');
  expect(list).toContain('"total":1');
  for (const answer of [deleted, other]) expect(answer).toContain('may not be made with this tool');
  expect((await made.person.get('/api/v1/workflows/wf/')).status).toBe(200);
});

test('a platform tool reads no link that answers an approval', async () => {
  const made = await AgentScene.start();
  await made.running.addWorkflow(made.person.user, 'asking', {
    nodes: {
      start: 'trigger_manual',
      link: ['template', { template: '{{ nodes.ask.approve_url }}' }],
      ask: ['human_confirmation', { prompt: 'Pay?' }],
    },
    edges: 'start -> link\nlink -> ask',
  });
  const { body } = await made.person.post('/api/v1/workflows/asking/execute/', { payload: {} });
  const id = (body as { execution_id: string }).execution_id;
  await made.settled(id);
  const own = JSON.stringify((await made.person.get(`/api/v1/executions/${id}/`)).body);
  expect(own).toMatch(/\/answers\/[A-Za-z0-9_-]{20,}/);
  const [read, resumed] = await results(
    made,
    ['platform_api', everything],
    [
      { path: `/executions/${id}/` },
      { method: 'POST', path: `/executions/${id}/resume/`, body: { action: 'approve' } },
    ],
  );
  expect(read).toContain('interrupted');
  expect(read).not.toMatch(/\/answers\/[A-Za-z0-9_-]{20,}/);
  expect(resumed).toContain('403');
});

test('a platform tool creates only new workflows, which stay inactive', async () => {
  const made = await AgentScene.start();
  const text =
    'name: Made\nslug: made\nis_active: true\ntrigger: manual\nsteps:\n  - {id: a, type: template, template: x}\n';
  const [created, again, broken] = await results(
    made,
    ['workflow_create', {}],
    [{ yaml_str: text }, { yaml_str: text }, { yaml_str: 'name: [' }],
  );
  expect(created).toContain('"is_active":false');
  expect(again).toContain("slug 'made' already exists");
  expect(broken).toContain('422');
  expect((await made.person.get('/api/v1/workflows/made/')).body).toMatchObject({ is_active: false });
});

test('a platform tool does nothing in a workflow that others may edit: they would get the rights of its owner', async () => {
  const made = await AgentScene.start();
  const partner = await made.running.addPerson('partner');
  const share = async (role: string): Promise<number> => {
    const path = '/api/v1/workflows/wf/collaborators/';
    return (await made.person.post(path, { username: partner.user.username, role })).status;
  };
  const tools = { tool: ['whoami', {}] } as const;
  const answers: ScriptedAnswer[] = [{ calls: [{ name: 'tool', args: {} }] }, { text: 'Done.' }];
  await made.run({ answers, tools });
  const last = () => String(made.lastMessages.filter(({ role }) => role === 'tool').at(-1)?.content);
  const again = async (): Promise<string> => {
    made.answer(answers);
    const { body } = await made.person.post('/api/v1/workflows/wf/execute/', { payload: 'go' });
    await made.settled((body as { execution_id: string }).execution_id);
    return last();
  };
  expect(last()).toContain('"username"');
  expect(await share('viewer')).toBe(201);
  expect(await again()).toContain('"username"');
  await made.person.delete(`/api/v1/workflows/wf/collaborators/${partner.user.username}/`);
  expect(await share('editor')).toBe(201);
  expect(await again()).toContain('Others may edit this workflow');
});
