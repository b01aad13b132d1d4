import { dslValidation } from '@millrace/contract';
import { type Catalogue, type Json, mentionsOf, readDsl } from '@millrace/core';
import type { TestService } from './test-service.ts';
import { Unreadable } from './text-files.ts';

/** A workflow's text, and the name of its file in messages. */
export interface WorkflowText {
  readonly file: string;
  readonly text: string;
}

const workflowsPath = '/api/v1/workflows/';

/**
 * Imports the workflows of a service in order, with the credentials that they name; returns the slug of the last one.
 * @throws Unreadable for a text with validation errors
 */
export async function install(
  service: TestService,
  workflows: readonly WorkflowText[],
  catalogue: Catalogue,
): Promise<string> {
  const slugs = new Set<string>();
  let last = '';
  for (const workflow of workflows) {
    await addCredentials(service, workflow.text, catalogue);
    await check(service, workflow);
    last = readDsl(workflow.text, catalogue).parts?.draft.header.slug ?? '';
    if (slugs.has(last))
      throw new Unreadable(`${workflow.file}: another of these workflows also has the slug '${last}'.`);
    slugs.add(last);
    const answer = await service.call({ method: 'POST', path: `${workflowsPath}import/`, body: yaml(workflow) });
    if (answer.status >= 400) throw new Unreadable(`${workflow.file}: ${JSON.stringify(answer.body)}`);
  }
  return last;
}

function yaml({ text }: WorkflowText) {
  return { yaml_str: text };
}

async function check(service: TestService, workflow: WorkflowText): Promise<void> {
  const answer = await service.call({ method: 'POST', path: `${workflowsPath}validate-dsl/`, body: yaml(workflow) });
  const { issues } = dslValidation.parse(answer.body);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map(({ line, column, message, hint }) =>
    [`${workflow.file}:${line}:${column} ${message}`, hint ?? []].flat().join(' '),
  );
  throw new Unreadable(lines.join('\n'));
}

/** Adds the variables of a test to its service. @throws Unreadable for a name or a value that the service rejects */
export async function addVariables(service: TestService, variables: Readonly<Record<string, Json>>): Promise<void> {
  for (const [name, value] of Object.entries(variables)) {
    const body = { name, value };
    const answer = await service.call({ method: 'POST', path: '/api/v1/variables/', body });
    if (answer.status >= 400) throw new Unreadable(`vars.${name}: ${JSON.stringify(answer.body)}`);
  }
}

/** One for each name in the text, without a secret: no request is sent with it. */
async function addCredentials(service: TestService, text: string, catalogue: Catalogue): Promise<void> {
  const { parts } = readDsl(text, catalogue);
  if (parts === null || mentionsOf(parts.draft).credentials.length === 0) return;
  const names = mentionsOf(parts.draft).credentials.map(({ name }) => name);
  const known = new Set((await service.store.credentials.withNames(names)).map(({ name }) => name));
  for (const { credentials, componentType } of parts.draft.nodes) {
    const isBot = catalogue.get(componentType)?.credential?.type === 'chat_bot';
    for (const [field, { name }] of credentials) {
      if (known.has(name)) continue;
      known.add(name);
      const body = { name, ...(field === 'llm_credential_id' ? llm : isBot ? chatBot : tool) };
      await service.call({ method: 'POST', path: '/api/v1/credentials/', body });
    }
  }
}

const llm = {
  credential_type: 'llm',
  detail: { provider_type: 'provider_a_compatible', api_key: 'of-a-test', base_url: 'http://localhost' },
};
const tool = { credential_type: 'tool', detail: { tool_type: 'test', config: {} } };
const chatBot = { credential_type: 'chat_bot', detail: { allowed_user_ids: '*' } };
