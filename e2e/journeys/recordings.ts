import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { journey } from '../harness/journey.ts';
import { modelKey } from '../harness/model-provider.ts';

const yaml = `name: Recorded desk
trigger: manual
model: {model_name: small, credential: Recorded model}
steps:
  - id: answer
    type: agent
    prompt: Answer the customer.
    input: "{{ trigger.payload.question }}"
`;

interface Recorded {
  readonly workflow: string;
  readonly tests: readonly { readonly models: readonly object[]; readonly expect: object }[];
}

journey(
  'J22: a person records a run, saves it as a test, and runs the draft with the recorded answers',
  async (scene) => {
    const { page, service, model, goto } = scene;
    const detail = { provider_type: 'provider_a_compatible', api_key: modelKey, base_url: model.url };
    const credential = { name: 'Recorded model', credential_type: 'llm', detail };
    await service.call('credentials/', { method: 'POST', body: credential });
    const { slug } = await service.call<{ slug: string }>('workflows/import/', {
      method: 'POST',
      body: { yaml_str: yaml },
    });
    await goto(`/w/${slug}`);
    await page.getByRole('button', { name: 'More ways to run' }).click();
    await page.getByRole('menuitem', { name: 'Run with payload…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run with payload' });
    await dialog.getByRole('textbox', { name: 'Payload', exact: true }).fill('{"question": "Where is my order?"}');
    await dialog.getByRole('checkbox', { name: /^Record the answers/ }).check();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/run=/);
    const id = new URL(page.url()).searchParams.get('run');
    await goto(`/runs/${id}`);
    await page.getByText('Succeeded', { exact: true }).first().waitFor();

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download recording' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${slug}.test.yaml`);
    const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as Recorded;
    const answer = 'You said: Where is my order?';
    expect(file).toMatchObject({
      workflow: `${slug}.yaml`,
      tests: [
        {
          payload: { question: 'Where is my order?' },
          models: [{ node: 'answer', input: 'Where is my order?', answer }],
          expect: { final_output: answer },
        },
      ],
    });

    const before = model.requests.length;
    await page.getByRole('button', { name: 'Run draft with recording' }).click();
    await page.waitForURL((url) => /\/runs\//.test(url.pathname) && !url.pathname.includes(String(id)));
    await page.getByText('Ran with recorded answers').waitFor();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    expect(model.requests).toHaveLength(before);
  },
);
