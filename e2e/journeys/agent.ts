import { expect } from 'vitest';
import { journey } from '../harness/journey.ts';
import { modelKey } from '../harness/model-provider.ts';

const yaml = `name: Refund desk
trigger: manual
model: {model_name: small, credential: Refund model}
steps:
  - id: answer
    type: agent
    prompt: Refund what the customer asks for.
    input: "{{ trigger.payload.question }}"
    approve: [refund]
    tools: [{id: calc, type: calculator}, {id: refund, type: calculator}]
`;

journey('J21: a person follows what an agent does, and approves a call of a tool', async (scene) => {
  const { page, service, model, goto } = scene;
  const detail = { provider_type: 'provider_a_compatible', api_key: modelKey, base_url: model.url };
  const credential = { name: 'Refund model', credential_type: 'llm', detail };
  await service.call('credentials/', { method: 'POST', body: credential });
  const { slug } = await service.call<{ slug: string }>('workflows/import/', {
    method: 'POST',
    body: { yaml_str: yaml },
  });
  const before = model.requests.length;
  const usual = model.answer;
  model.answer = (text) => {
    if (text === '42') return { tool: 'refund', input: { expression: '42' } };
    if (text.startsWith('Error tool_unknown')) return 'You get 42 euros.';
    if (text.includes('declined')) return { tool: 'search', input: {} };
    return { text: 'I add it up.', calls: [{ tool: 'calc', input: { expression: '3 * 14' } }] };
  };
  const { execution_id: id } = await service.call<{ execution_id: string }>(`workflows/${slug}/execute/`, {
    method: 'POST',
    body: { payload: { question: 'Three items at 14 euros.' } },
  });
  await goto(`/runs/${id}?step=answer`);
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('I add it up.').waitFor();
  const approval = conversation.getByRole('region', { name: 'Approve refund' });
  await approval.getByRole('textbox', { name: 'Comment' }).fill('Too much.');
  await approval.getByRole('button', { name: 'Decline' }).click();
  // The page follows the run: the errors are shown as the model read them.
  await conversation.getByText('You get 42 euros.').waitFor();
  model.answer = usual;
  await conversation.getByText("There is no tool 'search'. Available: calc, refund.").waitFor();
  await page.getByRole('tab', { name: 'Conversation', selected: true }).waitFor();
  await conversation.getByText('Prompt as sent').last().click();
  await conversation.getByText('Model small, tools auto').waitFor();
  const sent = model.requests.at(-1)?.messages.map(({ role }) => role) ?? [];
  const shown = await conversation
    .getByRole('heading', { level: 5, name: /^(system|user|assistant|tool)$/ })
    .allTextContents();
  expect(shown).toEqual(sent);
  await page.getByTitle('Usage of this workflow').click();
  const row = page.getByRole('row', { name: /^answer small/ });
  await row.waitFor();
  expect(await row.getByRole('cell').nth(1).textContent()).toBe(String(model.requests.length - before));
});
